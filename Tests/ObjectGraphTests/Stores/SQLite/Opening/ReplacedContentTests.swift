import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

/// The file stays, and gets another content under SQLite's locks, while a coordinator has it open.
@Suite struct `Stores whose content is replaced (§11.5)` {
    private let folder = TemporaryFolder()
    private var url: URL { folder.url("library.sqlite") }
    private var backup: URL { folder.url("backup.sqlite") }

    private func open(
        _ url: URL, _ configure: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        var description = PersistentStoreDescription.sqlite(at: url)
        configure(&description)
        try coordinator.addPersistentStore(description)
        return ManagedObjectContext(.privateQueue, coordinator: coordinator)
    }

    /// Saves an author in a file, or gives the one that is there another name.
    private func save(_ name: String, in url: URL) throws {
        let context = try open(url)
        try context.performAndWait {
            let found = try context.fetch(
                FetchRequest(entityName: "Author"), as: TestSupport.Author.self)
            let author = found.first ?? TestSupport.Author(context: context)
            author.name = name
            try context.save()
        }
    }

    private func names(in context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait {
            context.reset()
            return try context.fetch(
                FetchRequest(entityName: "Author"), as: TestSupport.Author.self
            ).map(\.name).sorted()
        }
    }

    private func sql(_ statement: String) throws -> [[String]] {
        let connection = try Connection(SQLiteConfiguration(path: url.path))
        let query = try connection.statement(statement)
        defer { query.reset() }
        var rows: [[String]] = []
        while try query.step() {
            rows.append((0..<query.columnCount).map { query.value(at: $0).string })
        }
        return rows
    }

    private enum Event: String, CaseIterable {
        case restored, replacedByAnother, replacedByOtherMeans, destroyed, madeAgain
    }

    /// - Returns: The authors that the file then has; nil if it is no store.
    private func run(_ event: Event) throws -> [String]? {
        switch event {
        case .restored:
            try PersistentStoreCoordinator.replacePersistentStore(at: url, with: backup)
            return ["from the backup"]
        case .replacedByAnother:
            let other = folder.url("other.sqlite")
            try save("other", in: other)
            try PersistentStoreCoordinator.replacePersistentStore(at: url, with: other)
            return ["other"]
        case .replacedByOtherMeans:
            let other = folder.url("other.sqlite")
            try save("other", in: other)
            let source = try Connection(SQLiteConfiguration(path: other.path))
            try Connection.backup(from: source, to: Connection(SQLiteConfiguration(path: url.path)))
            return ["other"]
        case .destroyed:
            try PersistentStoreCoordinator.destroyPersistentStore(at: url)
            return nil
        case .madeAgain:
            try PersistentStoreCoordinator.destroyPersistentStore(at: url)
            try save("again", in: url)
            return ["again"]
        }
    }

    @Test(arguments: Event.allCases, [true, false])
    private func `neither a save nor a fetch takes it for the store (§11.5.7)`(
        _ event: Event, _ fetchesFirst: Bool
    ) throws {
        try save("first", in: url)
        // The versions of the rows become the same in both files.
        try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: url)
        try save("from the backup", in: backup)
        let context = try open(url)
        try context.performAndWait {
            let author = try context.fetch(
                FetchRequest(entityName: "Author"), as: TestSupport.Author.self)[0]
            author.name = "second"
            try context.save()

            let expected = try run(event)

            if fetchesFirst {
                let error = #expect(throws: StoreError.self) {
                    try context.fetch(
                        FetchRequest(entityName: "Author"), as: TestSupport.Author.self)
                }
                #expect(error?.reason == .fileChanged && error?.url == url)
            }
            author.name = "third"
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) { try context.save() }
                #expect(error?.reason == .fileChanged && error?.url == url)
            }
            TestSupport.Author(context: context).name = "fourth"
            let batch = BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Author"))
            for attempt in [
                { _ = try context.execute(batch) },
                { try context.save() },
                { _ = try context.count(for: FetchRequest(entityName: "Author")) },
            ] {
                let error = #expect(throws: StoreError.self) { try attempt() }
                #expect(error?.reason == .fileChanged)
            }
            if let expected {
                #expect(try sql("SELECT ZNAME FROM ZAUTHOR").map { $0[0] } == expected)
            }
            context.rollback()
        }
        let coordinator = context.coordinator
        try coordinator.removePersistentStore(coordinator.persistentStores[0])
        if event != .destroyed {
            try coordinator.addPersistentStore(.sqlite(at: url))
            #expect(try names(in: context).count == 1)
        }
    }

    @Test func `a backup that is restored twice is noticed twice (§11.5.7)`() throws {
        try save("first", in: url)
        try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: url)
        for _ in 0..<2 {
            let context = try open(url)
            #expect(try names(in: context) == ["first"])
            try PersistentStoreCoordinator.replacePersistentStore(at: url, with: backup)
            context.performAndWait {
                TestSupport.Author(context: context).name = "second"
                let error = #expect(throws: StoreError.self) { try context.save() }
                #expect(error?.reason == .fileChanged)
            }
        }
    }

    @Test(arguments: [
        "VACUUM", "ANALYZE", "CREATE INDEX own ON ZAUTHOR (ZNAME)", "CREATE TABLE own (x)",
        "ALTER TABLE ZAUTHOR ADD COLUMN own",
    ])
    func `other changes of the schema leave it the same store (§11.5.7)`(_ statement: String) throws
    {
        try save("first", in: url)
        let context = try open(url)
        #expect(try names(in: context) == ["first"])
        _ = try sql(statement)
        #expect(try names(in: context) == ["first"])
        try context.performAndWait {
            TestSupport.Author(context: context).name = "second"
            try context.save()
        }
        #expect(try names(in: context) == ["first", "second"])
    }

    @Test func `so does another coordinator that begins a history (§11.5.7)`() throws {
        try save("first", in: url)
        let context = try open(url)
        #expect(try names(in: context) == ["first"])
        let other = try open(url) { $0.tracksHistory = true }
        #expect(try names(in: other) == ["first"])
        try context.performAndWait {
            TestSupport.Author(context: context).name = "second"
            try context.save()
        }
        #expect(try names(in: context) == ["first", "second"])
    }

    @Test func `a copy keeps the program's metadata, and an unreadable list (§11.5.3)`() throws {
        try save("first", in: url)
        let values: [String: AttributeValue] = ["key": .string("value")]
        try PersistentStoreCoordinator.setMetadata(values, forPersistentStoreAt: url)
        try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: url)
        let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: url)
        #expect(metadata.values == values)
        #expect(
            try PersistentStoreCoordinator.metadataForPersistentStore(at: backup) == metadata)
        _ = try sql("UPDATE Z_METADATA SET Z_PLIST = x'00'")
        try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: url)
        try PersistentStoreCoordinator.replacePersistentStore(at: url, with: backup)
        #expect(try sql("SELECT hex(Z_PLIST) FROM Z_METADATA") == [["00"]])
    }
}
