import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Changes of data that the program brings, once in each store.
@Suite struct `Migrations of the program (§9.8)` {
    private let fixture = MigrationFixture()
    private let title = AttributeDescription("title", .string)
    private var pages: [EntityDescription] { [fixture.entity("Page", [title])] }

    /// Appends a text to each title.
    private static func append(
        _ text: String, _ version: String, _ calls: Recorder<String>? = nil
    ) -> Migration {
        Migration(.appVersion(version)) { context in
            calls?.values.append(version)
            for page in try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            {
                let title = try page.value(forKey: "title") as? String ?? ""
                try page.setValue(title + text, forKey: "title")
            }
        }
    }

    private func titles(
        _ migrations: [Migration], _ entities: [EntityDescription]? = nil,
        _ change: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> [String] {
        try fixture.open(
            entities ?? pages,
            {
                $0.migration.migrations = migrations
                change(&$0)
            }
        ) { context in
            try context.fetch(
                FetchRequest(entityName: "Page", sortKeys: [.ascending("title")]),
                as: ManagedObject.self
            ).map { try $0.value(forKey: "title") as? String ?? "" }
        }
    }

    private var recorded: [String]? {
        get throws {
            let connection = try Connection(
                SQLiteConfiguration(path: fixture.url.path, mode: .readOnly))
            return try MetadataTable.read(on: connection, url: fixture.url).1.migrations
        }
    }

    @Test func `a migration runs once, without a change of the model (§9.8.1)`() throws {
        try fixture.make(pages, [("Page", ["title": "the dispossessed"])])
        let migrations = [
            Migration(.appVersion("1.1")) { context in
                for page in try context.fetch(
                    FetchRequest(entityName: "Page"), as: ManagedObject.self)
                {
                    let title = try page.value(forKey: "title") as? String
                    try page.setValue(title?.capitalized, forKey: "title")
                }
            },
            Self.append("!", "1.2"),
        ]
        #expect(try titles(migrations) == ["The Dispossessed!"])
        #expect(try titles(migrations) == ["The Dispossessed!"])
        #expect(try recorded == ["1.1", "1.2"])
        let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: fixture.url)
        #expect(metadata.values.isEmpty)
    }

    @Test func `they run in the order of their versions (§9.8.2)`() throws {
        try fixture.make(pages, [("Page", ["title": ""])])
        let migrations = [
            Self.append("4", "1.10"), Self.append("3", "1.9"),
            Migration(.legacy(7), Self.append("2", "").body),
            Migration(.legacy(3), Self.append("1", "").body),
        ]
        #expect(try titles(migrations) == ["1234"])
        // One that comes later runs, even with an older version.
        #expect(try titles(migrations + [Self.append("5", "1.1")]) == ["12345"])
        #expect(try recorded == ["legacy 3", "legacy 7", "1.9", "1.10", "1.1"])
    }

    @Test func `a new store counts as if they had run (§9.8.3)`() throws {
        let calls = Recorder<String>()
        let migrations = [Self.append("!", "1.1", calls)]
        #expect(try titles(migrations) == [])
        #expect(try recorded == ["1.1"])
        try fixture.open(pages) { context in
            try context.insertObject(entityName: "Page").setValue("new", forKey: "title")
            try context.save()
        }
        #expect(try titles(migrations) == ["new"])
        #expect(calls.values.isEmpty)
        #expect(try titles(migrations + [Self.append("?", "1.2")]) == ["new?"])
    }

    @Test func `they see the store in the program's model (§9.8.1)`() throws {
        try fixture.make(pages, [("Page", ["title": "one two"])])
        let later = [fixture.entity("Page", [title, AttributeDescription("words", .integer64)])]
        let content = try fixture.open(
            later,
            { $0.migration.migrations = [Migration(.appVersion("2"), StagedVersions.countWords)] }
        ) { try $0.content() }
        #expect(content == ["Page 1": "", "Page 1.title": "one two", "Page 1.words": "2"])
    }

    @Test func `one that fails changes nothing and is named (§9.8.4)`() throws {
        try fixture.make(pages, [("Page", ["title": "a"])])
        let calls = Recorder<String>()
        let failing = Migration(.appVersion("1.2.0")) { context in
            try Self.append("c", "1.2").body(context)
            calls.values.append("1.2")
            if calls.values.count == 1 { throw CodeFailure() }
        }
        let migrations = [Self.append("d", "1.3"), failing, Self.append("b", "1.1")]
        let error = #expect(throws: MigrationError.self) { try titles(migrations) }
        #expect(
            error?.reason
                == .codeFailed(.migration(.appVersion("1.2")), UnderlyingError(CodeFailure())))
        #expect(error?.code == 134110)
        #expect(error?.description.contains("migration 1.2 has failed: CodeFailure()") == true)
        // Those before it have run.
        #expect(try titles([]) == ["ab"])
        #expect(try recorded == ["1.1"])
        #expect(try titles(migrations) == ["abcd"])
    }

    @Test func `its own saves remain, and are not noted (§9.8.5)`() throws {
        try fixture.make(pages, [("Page", ["title": "a"])])
        let migration = Migration(.appVersion("1.1")) { context in
            try Self.append("b", "1.1").body(context)
            try context.save()
            throw CodeFailure()
        }
        #expect(throws: MigrationError.self) { try titles([migration]) }
        #expect(try titles([]) == ["ab"])
        #expect(try recorded == nil)
    }

    @Test func `only reading runs none (§9.8.6)`() throws {
        try fixture.make(pages, [("Page", ["title": "a"])])
        let before = try fixture.files()["store.sqlite"]
        let migrations = [Self.append("b", "1.1")]
        #expect(try titles(migrations, nil) { $0.isReadOnly = true } == ["a"])
        #expect(try fixture.files()["store.sqlite"] == before)
        #expect(try titles(migrations, nil) { $0.migration.isAutomatic = false } == ["a"])
    }

    @Test func `versions must be readable and different (§9.8.8)`() throws {
        let twice = [Self.append("b", "1.1"), Self.append("c", "1.1.0")]
        let error = #expect(throws: MigrationError.self) { try titles(twice) }
        #expect(error?.reason == .duplicateMigration(.appVersion("1.1")))
        let unreadable = #expect(throws: MigrationError.self) {
            try titles([Self.append("b", "one")])
        }
        #expect(unreadable?.reason == .unreadableVersion(.appVersion("one")))
        #expect(unreadable?.description.contains("'one'") == true)
        // No store was made.
        #expect(try fixture.files().isEmpty)
    }

    @Test func `stores that note nothing refuse migrations (§9.8.9)`() throws {
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: pages))
        var description = PersistentStoreDescription.binary(at: fixture.url)
        description.migration.migrations = [Self.append("b", "1.1")]
        let error = #expect(throws: StoreError.self) {
            try coordinator.addPersistentStore(description)
        }
        #expect(error?.code == 134091)
        var inMemory = PersistentStoreDescription.inMemory()
        inMemory.migration = description.migration
        try coordinator.addPersistentStore(inMemory)
    }

    @Test func `a store that is moved takes its note along (§9.8.3)`() throws {
        let migrations = [Self.append("!", "1.1")]
        try fixture.make(pages, [("Page", ["title": "a"])])
        #expect(try titles(migrations) == ["a!"])
        let other = MigrationFixture()
        let coordinator = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: pages))
        let store = try coordinator.addPersistentStore(.sqlite(at: fixture.url))
        let moved = try coordinator.migratePersistentStore(store, to: .sqlite(at: other.url))
        try coordinator.removePersistentStore(moved)
        let count = try other.open(pages, { $0.migration.migrations = migrations }) { context in
            var request = FetchRequest(entityName: "Page")
            request.predicate = try ObjectPredicate("title == 'a!'")
            return try context.count(for: request)
        }
        #expect(count == 1)
    }

    @Test func `two generations of an entity may be side by side (§9.8.10)`() throws {
        let older = fixture.entity("Person_1_0", [AttributeDescription("name", .string)])
        let newer = fixture.entity(
            "Person_1_1",
            [
                AttributeDescription("firstName", .string),
                AttributeDescription("lastName", .string),
            ])
        try fixture.make([older], [("Person_1_0", ["name": "Ursula Le Guin"])])
        let migration = Migration(.appVersion("1.1")) { context in
            for old in try context.fetch(
                FetchRequest(entityName: "Person_1_0"), as: ManagedObject.self)
            {
                let new = try context.insertObject(entityName: "Person_1_1")
                try new.copyAttributes(from: old)
                let names = (try old.value(forKey: "name") as? String ?? "").split(
                    separator: " ", maxSplits: 1)
                try new.setValue(names.first.map(String.init), forKey: "firstName")
                try new.setValue(names.last.map(String.init), forKey: "lastName")
                context.delete(old)
            }
        }
        let both = try fixture.open(
            [older, newer], { $0.migration.migrations = [migration] }
        ) { try $0.content() }
        let expected = [
            "Person_1_1 1": "", "Person_1_1 1.firstName": "Ursula",
            "Person_1_1 1.lastName": "Le Guin",
        ]
        #expect(both == expected)
        #expect(
            try fixture.open([newer], { $0.migration.migrations = [migration] }) {
                try $0.content()
            } == expected)
    }
}
