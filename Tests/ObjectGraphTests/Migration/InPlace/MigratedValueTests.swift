import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Values that a migration computes, histories, and stores of Core Data.
@Suite struct `What a migration leaves in a store` {
    private let fixture = MigrationFixture()

    // MARK: - Derived values

    private func books(_ type: AttributeType?, _ pages: AttributeType) -> [EntityDescription] {
        [
            fixture.entity(
                "Book",
                type.map { [AttributeDescription("size", $0, derivation: "pages.size.@sum")] }
                    ?? [],
                [.toMany("pages", "Page", inverse: "book")]),
            fixture.entity(
                "Page", [AttributeDescription("size", pages)],
                [.toOne("book", "Book", inverse: "pages")]),
        ]
    }

    @Test(arguments: [
        (AttributeType.integer16, Int64(20_000), true), (.integer16, 10_000, false),
        (.integer32, 2_000_000_000, true), (.integer64, .max, true), (.integer64, 5, false),
    ])
    func `a derived value that is too large is refused (§9.2.20)`(
        _ type: AttributeType, _ size: Int64, _ isTooLarge: Bool
    ) throws {
        try fixture.open(books(nil, .integer64)) { context in
            let book = try context.insertObject(entityName: "Book")
            for _ in 0..<2 {
                let page = try context.insertObject(entityName: "Page")
                try page.setValue(size, forKey: "size")
                try page.setValue(book, forKey: "book")
            }
            try context.save()
        }
        let files = try fixture.files()
        guard isTooLarge else {
            #expect(try fixture.content(books(type, .integer64))["Book 1.size"] == "\(2 * size)")
            return
        }
        let error = #expect(throws: StoreError.self) {
            try fixture.open(books(type, .integer64)) { _ in }
        }
        #expect(error?.reason == .derivedValueTooLarge(entity: "Book", attribute: "size"))
        #expect(error?.url == fixture.url)
        #expect(try fixture.files() == files)
    }

    // MARK: - History

    private func history(
        _ entities: [EntityDescription], after token: PersistentHistoryToken? = nil,
        _ change: @Sendable (ManagedObjectContext) throws -> Void = { _ in }
    ) throws -> (changes: [[String]], token: PersistentHistoryToken) {
        try fixture.open(entities, { $0.tracksHistory = true }) { context in
            try change(context)
            if context.hasChanges { try context.save() }
            let found = try context.fetchHistory(
                PersistentHistoryRequest(after: token.map { .token($0) }))
            return (
                found.map { ($0.changes ?? []).map(\.text) },
                try context.coordinator.currentPersistentHistoryToken()
            )
        }
    }

    @Test func `a history goes on, without the changes of removed entities (§9.2.23)`() throws {
        let title = AttributeDescription(
            "title", .string, preservesValueInHistoryOnDeletion: true)
        let note = AttributeDescription("note", .string)
        let before = [
            fixture.entity("Book", [title]), fixture.entity("Page", [title]),
            fixture.entity("Shelf", [title]),
        ]
        _ = try history(before) { context in
            for name in ["Book", "Page", "Shelf"] {
                try context.insertObject(entityName: name).setValue("one", forKey: "title")
            }
        }
        let old = try history(before) { context in
            for name in ["Book", "Page", "Shelf"] {
                try context.fetch(FetchRequest(entityName: name), as: ManagedObject.self)[0]
                    .setValue("two", forKey: "title")
            }
        }
        #expect(
            old.changes == [
                ["insert Book", "insert Page", "insert Shelf"],
                ["update Book title", "update Page title", "update Shelf title"],
            ])
        let after = [
            fixture.entity("Page", [title, note]), fixture.entity("Shelf", [title]),
        ]
        let new = try history(after)
        #expect(
            new.changes == [
                ["insert Page", "insert Shelf"], ["update Page title", "update Shelf title"],
            ])
        // A place in it that was noted before the migration stays valid.
        let next = try history(after, after: old.token) { context in
            try context.insertObject(entityName: "Page").setValue("three", forKey: "title")
        }
        #expect(next.changes == [["insert Page"]])
    }

    // MARK: - Stores of Core Data

    private func later(_ store: CoreDataStore) throws -> ManagedObjectModel {
        var entities = try store.model().entities.map(\.description)
        let album = entities.firstIndex { $0.name == "Album" }!
        entities[album].attributes.append(AttributeDescription("colour", .string))
        return try ManagedObjectModel(entities: entities)
    }

    /// Another digest, which newer versions of Core Data write.
    private func addChecksum(to store: CoreDataStore) throws {
        var list = try store.metadata()
        list["NSStoreModelVersionChecksumKey"] = "bm90IG91cnM="
        let connection = try store.connection(.readWrite)
        let update = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        update.bind(
            blob: try PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0), at: 1)
        try update.run()
    }

    @Test(arguments: CoreDataStore.Oddity.allCases)
    func `a store of Core Data is taken over (§8.7.13)`(_ oddity: CoreDataStore.Oddity) throws {
        let store = try CoreDataStore(oddity)
        let data = Data("outside".utf8)
        if oddity == .externalFiles { try store.makeExternalFile(data) }
        let before = try {
            let context = try store.context { $0.tracksHistory = oddity == .history }
            defer {
                try? context.coordinator.removePersistentStore(
                    context.coordinator.persistentStores[0])
            }
            return try context.performAndWait { try context.content() }
        }()
        try addChecksum(to: store)
        let model = try later(store)
        for _ in 0..<2 {
            let context = try store.context(model) {
                $0.tracksHistory = oddity == .history
            }
            let content = try context.performAndWait { try context.content() }
            #expect(content == before)
            try context.coordinator.removePersistentStore(
                context.coordinator.persistentStores[0])
        }
        let migrated = try store.metadata()
        #expect(migrated["NSPersistenceFrameworkVersion"] as? Int == 1344)
        #expect(
            migrated["NSStoreModelVersionHashes"] as? [String: Data]
                == model.entityVersionHashesByName.mapValues { Data($0) })
        #expect(migrated["NSStoreModelVersionHashesDigest"] == nil)
        #expect(migrated["NSStoreModelVersionChecksumKey"] == nil)
        #expect(migrated["text"] as? String == "Ω")
        let error = #expect(throws: StoreError.self) {
            _ = try store.context { $0.migration.isAutomatic = false }
        }
        #expect(error?.reason == .incompatibleModel(entities: ["Album"]))
    }
}
