import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// What the errors of the decision say. Each leaves the bytes of the store as they were.
@Suite struct `Errors of the decision to migrate` {
    private let fixture = MigrationFixture()
    private let title = AttributeDescription("title", .string)
    private let note = AttributeDescription("note", .string)

    private func make() throws {
        try fixture.make(
            [fixture.entity("Book", [title]), fixture.entity("Page", [title])],
            [("Page", ["title": "one"])])
    }

    private var later: [EntityDescription] {
        [fixture.entity("Page", [title, note]), fixture.entity("Shelf", [title])]
    }

    private static let differences = [
        ModelDifference(entity: "Page", property: "note", kind: .added),
        ModelDifference(entity: "Shelf", property: nil, kind: .added),
        ModelDifference(entity: "Book", property: nil, kind: .removed),
    ]

    private func refusal<Failure: Error>(
        _ type: Failure.Type, _ entities: [EntityDescription]? = nil,
        _ change: (inout PersistentStoreDescription) -> Void
    ) throws -> Failure? {
        let before = try fixture.files()
        let error = #expect(throws: type) {
            try fixture.open(entities ?? later, change) { _ in }
        }
        #expect(try fixture.files() == before)
        return error
    }

    @Test func `without automatic migration, the error lists what differs (§9.1.10)`() throws {
        try make()
        for isReadOnly in [false, true] {
            let error = try #require(
                try refusal(StoreError.self) { description in
                    description.migration.isAutomatic = isReadOnly
                    description.isReadOnly = isReadOnly
                })
            #expect(error.reason == .incompatibleModel(entities: ["Book", "Page", "Shelf"]))
            #expect(error.code == 134100 && error.differences == Self.differences)
            #expect(
                error.description.contains(
                    "What differs: 'Page.note' is new; 'Shelf' is new; 'Book' is removed."))
        }
    }

    @Test func `without a mapping and without inference, it is refused (§9.1.9)`() throws {
        try make()
        let error = try #require(
            try refusal(MigrationError.self) { $0.migration.infersMappings = false })
        #expect(error.reason == .noMapping && error.code == 134140 && error.url == fixture.url)
        #expect(error.differences == Self.differences)
        #expect(error.description.contains("set migration.infersMappings"))
        // Stores of the right model are opened as always.
        let count = try fixture.open(
            [fixture.entity("Book", [title]), fixture.entity("Page", [title])],
            { $0.migration.infersMappings = false }
        ) { try $0.count(for: FetchRequest(entityName: "Page")) }
        #expect(count == 1)
    }

    @Test func `if a change cannot be inferred, the error has the others too (§9.1.10)`() throws {
        try make()
        let number = AttributeDescription("title", .integer64)
        let error = try #require(
            try refusal(
                MigrationError.self,
                [fixture.entity("Book"), fixture.entity("Page", [number, note])]
            ) { _ in })
        guard case .notInferable(let obstacles) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(obstacles.map(\.property) == ["title"])
        #expect(
            error.differences.map(\.description) == [
                "'Book.title' is removed", "'Page.title': type string → integer64",
                "'Page.note' is new",
            ])
    }

    @Test func `of an unknown model, the entities that differ are known (§9.1.6, §9.1.10)`() throws
    {
        try make()
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        try connection.execute("DELETE FROM Z_MODELCACHE")
        try connection.close()
        let other = try ManagedObjectModel(entities: [fixture.entity("Page", [note])])
        let error = try #require(
            try refusal(MigrationError.self) { $0.migration.sourceModels = [other] })
        #expect(error.reason == .unknownSourceModel(entities: ["Book", "Page", "Shelf"]))
        #expect(
            error.differences.map(\.description)
                == ["'Book' is removed", "'Page' has another form", "'Shelf' is new"])
        let closed = try #require(
            try refusal(StoreError.self) { $0.migration.isAutomatic = false })
        #expect(closed.differences == error.differences)
    }

    @Test func `stores of other types are not migrated (§9.1.3)`() throws {
        let file = fixture.folder.url("store.binary")
        let before = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [fixture.entity("Page", [title])]))
        try before.addPersistentStore(.binary(at: file))
        let context = ManagedObjectContext(.privateQueue, coordinator: before)
        try context.performAndWait {
            _ = try context.insertObject(entityName: "Page")
            try context.save()
        }
        let after = PersistentStoreCoordinator(model: try ManagedObjectModel(entities: later))
        let error = #expect(throws: StoreError.self) {
            try after.addPersistentStore(.binary(at: file))
        }
        #expect(error?.code == 134100)
        #expect(
            error?.differences.map(\.description) == ["'Page' has another form", "'Shelf' is new"])
    }
}
