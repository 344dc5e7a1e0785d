import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// Columns and tables that a migration leaves, and that are dropped later.
@Suite struct `Deferred clean-up (§9.6)` {
    private let fixture = MigrationFixture()
    private let title = AttributeDescription("title", .string)
    private let size = AttributeDescription("size", .integer64)
    private let note = AttributeDescription("note", .string)

    private var before: [EntityDescription] {
        [fixture.entity("Book", [title]), fixture.entity("Page", [title, size, note])]
    }

    private var after: [EntityDescription] {
        [
            fixture.entity(
                "Page", [title, AttributeDescription("words", .integer64)],
                indexes: [FetchIndexDescription("byTitle", on: "title")])
        ]
    }

    private func make() throws {
        try fixture.make(
            before,
            [("Page", ["title": "one", "size": 3, "note": "a"]), ("Book", ["title": "two"])])
    }

    private func open<Result: Sendable>(
        _ entities: [EntityDescription],
        _ change: (inout PersistentStoreDescription) -> Void = { _ in },
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try fixture.open(
            entities,
            {
                $0.migration.defersCleanUp = true
                change(&$0)
            }, body)
    }

    private var leftNames: [String] {
        get throws {
            try fixture.sql(
                """
                SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c \
                WHERE m.name LIKE 'Z\\_DEFERRED%' ESCAPE '\\' OR c.name LIKE 'Z\\_DEFERRED%' ESCAPE '\\' \
                ORDER BY 1
                """)
        }
    }

    private var isFlagged: Bool {
        get throws {
            try PersistentStoreCoordinator.metadataForPersistentStore(at: fixture.url)
                .hasDeferredCleanUp
        }
    }

    @Test func `removed columns and tables stay, and no row is copied (§9.6.1)`() throws {
        try make()
        let found = Recorder<String>()
        try open(
            after,
            { $0.statementObserver = { sql, _ in found.values.append(sql) } }
        ) { _ in }
        let changes = found.values.filter { sql in
            ["ALTER", "CREATE", "DROP", "INSERT"].contains { sql.hasPrefix($0) }
                && !["Z_MODELCACHE", "Z_PRIMARYKEY"].contains { sql.contains($0) }
        }
        #expect(
            changes == [
                "ALTER TABLE ZBOOK RENAME TO Z_DEFERRED_1_0",
                "ALTER TABLE ZPAGE RENAME COLUMN ZNOTE TO Z_DEFERRED_1_0",
                "ALTER TABLE ZPAGE RENAME COLUMN ZSIZE TO Z_DEFERRED_1_1",
                "ALTER TABLE ZPAGE ADD COLUMN ZWORDS INTEGER",
                "CREATE INDEX Z_Page_byTitle ON ZPAGE (ZTITLE COLLATE BINARY ASC)",
            ])
    }

    @Test func `the store is fully usable, and says that work is left (§9.6.2)`() throws {
        try make()
        #expect(try !isFlagged)
        try open(after) { context in
            let page = try context.insertObject(entityName: "Page")
            try page.setValue("three", forKey: "title")
            try context.save()
        }
        #expect(try isFlagged)
        try open(after) { context in
            let content = try context.content()
            #expect(content.values.sorted() == ["", "", "one", "three"])
            let metadata = try context.coordinator.metadata(
                for: context.coordinator.persistentStores[0])
            #expect(metadata.hasDeferredCleanUp && metadata.values.isEmpty)
        }
        // Core Data's key.
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readOnly))
        let (_, list) = try MetadataTable.read(on: connection, url: fixture.url)
        let entries =
            try PropertyListSerialization.propertyList(from: list.data(), format: nil)
            as? [String: Any]
        #expect(
            entries?["NSPersistentStoreDeferredLightweightMigrationOptionKey"] as? Bool == true)
    }

    @Test func `a task drops one of them, and the last one the flag (§9.6.3)`() throws {
        try make()
        try open(after) { context in
            try context.coordinator.setMetadata(
                ["own": 1], for: context.coordinator.persistentStores[0])
            try context.save()
            let page = try #require(
                try context.fetch(FetchRequest(entityName: "Page"), as: ManagedObject.self).first)
            #expect(try leftNames.count == 6)
            #expect(try context.coordinator.finishDeferredLightweightMigrationTask())
            #expect(try leftNames == ["ZPAGE.Z_DEFERRED_1_0", "ZPAGE.Z_DEFERRED_1_1"])
            #expect(try context.coordinator.finishDeferredLightweightMigrationTask())
            #expect(try isFlagged)
            // Objects go on.
            try page.setValue("changed", forKey: "title")
            try context.save()
            #expect(try !context.coordinator.finishDeferredLightweightMigrationTask())
            #expect(try leftNames.isEmpty)
            #expect(try !isFlagged)
            #expect(try !context.coordinator.finishDeferredLightweightMigrationTask())
            let metadata = try context.coordinator.metadata(
                for: context.coordinator.persistentStores[0])
            #expect(!metadata.hasDeferredCleanUp && metadata.values == ["own": 1])
        }
        #expect(
            try fixture.content(after) == ["Page 1": "", "Page 1.title": "changed"])
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `all can be dropped at once (§9.6.3)`() throws {
        try make()
        try open(after) { context in
            let store = context.coordinator.persistentStores[0]
            try context.coordinator.finishDeferredLightweightMigration()
            #expect(try !context.coordinator.metadata(for: store).hasDeferredCleanUp)
        }
        #expect(try leftNames.isEmpty)
        #expect(try !isFlagged)
        #expect(try fixture.content(after) == ["Page 1": "", "Page 1.title": "one"])
    }

    @Test func `later migrations need not wait for it (§9.6.4)`() throws {
        try make()
        try open(after) { _ in }
        // The names come back, and go again.
        try open(before) { context in
            let book = try context.insertObject(entityName: "Book")
            try book.setValue("new", forKey: "title")
            for page in try context.fetch(
                FetchRequest(entityName: "Page"), as: ManagedObject.self)
            {
                #expect(try page.value(forKey: "size") == nil)
                try page.setValue(7, forKey: "size")
            }
            try context.save()
        }
        try open(after) { _ in }
        #expect(
            try leftNames.filter { $0.hasPrefix("ZPAGE") }
                == [
                    "ZPAGE.Z_DEFERRED_1_0", "ZPAGE.Z_DEFERRED_1_1", "ZPAGE.Z_DEFERRED_2_0",
                    "ZPAGE.Z_DEFERRED_2_1", "ZPAGE.Z_DEFERRED_3_0", "ZPAGE.Z_DEFERRED_3_1",
                ].filter { name in try leftNames.contains(name) })
        #expect(try fixture.content(after) == ["Page 1": "", "Page 1.title": "one"])
        // A migration that copies the table drops its columns.
        let copied = [fixture.entity("Page", [AttributeDescription("words", .integer64)])]
        #expect(try fixture.content(copied) == ["Page 1": ""])
        #expect(try leftNames.allSatisfy { !$0.hasPrefix("ZPAGE") })
        #expect(try isFlagged)
        try fixture.open(copied) { context in
            try context.coordinator.finishDeferredLightweightMigration()
        }
        #expect(try leftNames.isEmpty)
        #expect(try !isFlagged)
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `rows of a removed entity among others go at once (§9.6.5)`() throws {
        let item = fixture.entity("Item", [title])
        try fixture.make(
            [item, fixture.entity("Book", parent: "Item"), fixture.entity("Page", parent: "Item")],
            [("Book", ["title": "one"]), ("Page", ["title": "two"])])
        let count = try open([item, fixture.entity("Page", parent: "Item")]) {
            try $0.count(for: FetchRequest(entityName: "Item"))
        }
        #expect(count == 1)
        #expect(try leftNames.isEmpty)
        #expect(try !isFlagged)
    }

    @Test func `a table with an index of others is copied (§9.6.5)`() throws {
        try make()
        let connection = try Connection(
            SQLiteConfiguration(path: fixture.url.path, mode: .readWrite))
        try connection.execute("CREATE INDEX mine ON ZPAGE (ZTITLE)")
        try connection.close()
        try open(after) { context in
            try context.coordinator.finishDeferredLightweightMigration()
        }
        #expect(try leftNames.isEmpty)
        #expect(try fixture.sql("SELECT name FROM sqlite_schema WHERE name = 'mine'") == ["mine"])
    }

    @Test func `what is only read is not cleaned up (§9.6.3)`() throws {
        try make()
        try open(after) { _ in }
        let file = try fixture.files()["store.sqlite"]
        try open(after, { $0.isReadOnly = true }) { context in
            let isLeft = try context.coordinator.finishDeferredLightweightMigrationTask()
            #expect(!isLeft)
        }
        #expect(try fixture.files()["store.sqlite"] == file)
    }
}
