import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `MigrationDebug (§12.8)` {
    private let fixture = MigrationFixture()
    private let title = AttributeDescription("title", .string)

    /// The lines about the opening of the store, without times.
    private func lines(
        _ entities: [EntityDescription], level: Int = 1,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> [String] {
        let log = Mutex<[String]>([])
        var debug = DebugOptions()
        debug.migrationLevel = level
        debug.log = { line in log.withLock { $0.append(line) } }
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: entities), debug: debug)
        var description = PersistentStoreDescription.sqlite(at: fixture.url)
        change(&description)
        if let store = try? coordinator.addPersistentStore(description) {
            try coordinator.removePersistentStore(store)
        }
        return log.withLock { $0 }.map { line in
            line.replacing(/\(\d+\.\d{4}s\)$/, with: "(time)")
        }
    }

    private var before: [EntityDescription] {
        [fixture.entity("Book", [title]), fixture.entity("Page", [title])]
    }

    private var after: [EntityDescription] {
        [
            fixture.entity(
                "Page",
                [
                    AttributeDescription("heading", .string, renamingIdentifier: "title"),
                    AttributeDescription("note", .string),
                ]), fixture.entity("Shelf", [title]),
        ]
    }

    @Test func `it logs the search, the mapping, the statements and their times (§12.8)`() throws {
        try fixture.make(before)
        let other = try ManagedObjectModel(entities: [fixture.entity("Page")])
        let lines = try lines(after) { $0.migration.sourceModels = [other] }
        let start = try #require(lines.firstIndex { $0.contains("searching the model") })
        #expect(lines.allSatisfy { $0.hasPrefix("CoreData: migration: ") })
        let texts = lines.map { String($0.dropFirst("CoreData: migration: ".count)) }
        #expect(
            texts[..<start] == [
                "the store at \(fixture.url.path) has 2 entities, the model 2; version hashes differ for: Book, Page, Shelf",
                "the store is not opened, because it needs a migration",
            ])
        #expect(
            texts[start...].prefix(10) == [
                "searching the model that the store was written with: among 1 of the program's earlier ones, then in the store",
                "earlier model 1 has other hashes for Book, Page",
                "the store was written with the model that it carries, of 2 entities",
                "next: an inferred mapping, in the store's own file",
                "transform Page; heading was title; note is new", "add Shelf", "remove Book",
                "migrating in place, in one transaction", "DROP TABLE ZBOOK (time)",
                "ALTER TABLE ZPAGE RENAME COLUMN ZTITLE TO Z_OLD_0 (time)",
            ])
        #expect(texts.contains("committed (time)"))
        #expect(texts.last?.contains("version hashes differ for: none") == true)
    }

    @Test func `it logs why there is none (§12.8)`() throws {
        try fixture.make(before)
        let refused = try lines([fixture.entity("Page", [AttributeDescription("title", .date)])])
        #expect(
            refused.last?.hasPrefix(
                "CoreData: migration: failed: The store cannot be migrated without a mapping: 'Page.title' was of type string"
            ) == true)
        let off = try lines(after) { $0.migration.isAutomatic = false }
        #expect(
            off.last == "CoreData: migration: no migration, because migration.isAutomatic is off")
        let reading = try lines(after) { $0.isReadOnly = true }
        #expect(
            reading.last
                == "CoreData: migration: no migration, because the store is opened for reading only"
        )
    }

    @Test func `at level 0 it logs nothing (§12.8)`() throws {
        try fixture.make(before)
        #expect(try lines(after, level: 0) == [])
    }
}
