import Foundation
import ObjectGraph
import Synchronization
import TestSupport
import Testing

@Suite struct `Debug arguments (§12)` {
    @Test(arguments: [
        (["-com.apple.CoreData.SQLDebug", "3"], 3), (["-com.apple.CoreData.SQLDebug"], 0),
        (["-com.apple.CoreData.SQLDebug", "much"], 0), ([], 0),
    ])
    func `arguments come in pairs (§12.13)`(_ arguments: [String], _ level: Int) {
        #expect(DebugOptions(arguments: arguments, environment: [:]).sqlLevel == level)
    }

    @Test func `the environment counts less than arguments (§12.13)`() {
        let options = DebugOptions(
            arguments: [
                "-com.apple.CoreData.SQLDebug", "1", "-com.apple.CoreData.ConcurrencyDebug", "YES",
            ],
            environment: [
                "com.apple.CoreData.SQLDebug": "4", "com.apple.CoreData.MigrationDebug": "1",
                "com.apple.CoreData.SQLiteDebugSynchronous": "2",
                "com.apple.CoreData.SQLiteIntegrityCheck": "1",
            ])
        #expect(options.sqlLevel == 1 && options.migrationLevel == 1 && options.checksQueues)
        #expect(options.synchronous == 2 && options.checksIntegrity)
    }

    /// The lines of a save, a fetch, a count and a fault.
    private func lines(atLevel level: Int) throws -> [String] {
        let log = Log()
        var options = DebugOptions()
        options.sqlLevel = level
        options.log = { log.add($0) }
        let fixture = try ContextFixture(debug: options)
        let id = try fixture.saveAuthor("Lem")
        let context = fixture.context()
        try context.performAndWait {
            let predicate = try ObjectPredicate("name == %@", "Lem")
            _ = try TestSupport.Author.all(in: context, where: predicate)
            _ = try TestSupport.Author.count(in: context)
            context.author(id).publications.forEach { _ in }
        }
        return log.lines
    }

    private final class Log: Sendable {
        private let state = Mutex<[String]>([])
        var lines: [String] { state.withLock { $0 } }
        func add(_ line: String) { state.withLock { $0.append(line) } }
    }

    @Test func `level 1 logs statements and what requests cost (§12.1)`() throws {
        let lines = try lines(atLevel: 1)
        func contains(_ start: String, _ rest: String = "") -> Bool {
            lines.contains { $0.hasPrefix(start) && (rest.isEmpty || $0.contains(rest)) }
        }
        #expect(contains("CoreData: annotation: Connecting to sqlite database file at \""))
        #expect(contains("CoreData: sql: BEGIN"))
        #expect(contains("CoreData: sql: INSERT INTO ZAUTHOR", "FROM OGPendingRows"))
        #expect(contains("CoreData: sql: COMMIT"))
        #expect(contains("CoreData: annotation: total fetch execution time: ", "for 1 rows."))
        #expect(
            contains("CoreData: annotation: total count request execution time: ", "count of 1."))
        #expect(
            contains(
                "CoreData: annotation: to-many relationship fault \"publications\"", "Got 0 rows"))
        #expect(contains("CoreData: annotation: sql connection fetch time: 0.0"))
        #expect(!contains("CoreData: details"))
    }

    @Test func `level 2 adds arguments and numbers of rows (§12.2)`() throws {
        let lines = try lines(atLevel: 2)
        #expect(
            lines.contains {
                $0.hasPrefix("CoreData: details: SQLite bind[") && $0.hasSuffix("'Lem'")
            })
        #expect(lines.contains { $0.contains("returned 1 rows") })
        #expect(!lines.contains { $0.contains("with values") })
    }

    @Test func `level 3 shows the rows (§12.3)`() throws {
        #expect(try lines(atLevel: 3).contains { $0.contains("returned 1 rows with values: (") })
    }

    @Test func `level 4 explains the queries (§12.4)`() throws {
        #expect(
            try lines(atLevel: 4).contains {
                $0.hasPrefix("CoreData: details: query plan: S") && $0.contains("AUTHOR")
            })
    }

    @Test func `MigrationDebug tells how models were compared (§12.8)`() throws {
        let log = Log()
        var options = DebugOptions()
        options.migrationLevel = 1
        options.log = { log.add($0) }
        let fixture = try ContextFixture()
        let other = PersistentStoreCoordinator(
            model: try ManagedObjectModel(entities: [
                EntityDescription(
                    name: "Author", attributes: [AttributeDescription("name", .string)])
            ]), debug: options)
        var description = PersistentStoreDescription.sqlite(at: fixture.url)
        description.migration.isAutomatic = false
        #expect(throws: StoreError.self) { try other.addPersistentStore(description) }
        #expect(log.lines.contains { $0.contains("version hashes differ for: Author") })
    }

    @Test
    func `the file can be checked and written with another safety when opened (§12.11, §12.12)`()
        throws
    {
        var options = DebugOptions()
        options.checksIntegrity = true
        options.synchronous = 2
        let fixture = try ContextFixture(debug: options)
        #expect(try fixture.coordinator.pragma("synchronous", of: fixture.store) == "2")
    }
}
