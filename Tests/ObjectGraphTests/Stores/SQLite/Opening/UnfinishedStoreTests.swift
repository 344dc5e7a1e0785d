import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// A program that is killed in a transaction without a WAL leaves its rollback journal, which the
/// next program plays back.
@Suite struct `Stores with a hot rollback journal (§11.4)` {
    let folder = TemporaryFolder()
    var url: URL { folder.url("library.sqlite") }

    private static func description(_ url: URL) -> PersistentStoreDescription {
        var description = PersistentStoreDescription.sqlite(at: url)
        description.pragmas = ["journal_mode": "DELETE"]
        return description
    }

    /// Makes a store with one author, and the file and journal of an unfinished transaction that
    /// renames it.
    init() throws {
        let whole = folder.url("whole.sqlite")
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        let store = try coordinator.addPersistentStore(Self.description(whole))
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
            TestSupport.Author(context: context).name = "Lem"
            try context.save()
        }
        try coordinator.removePersistentStore(store)
        let connection = try Connection(SQLiteConfiguration(path: whole.path, mode: .readWrite))
        // Without syncs the journal is valid at once. With a cache of one page the file has the
        // changes before the commit.
        try connection.execute(
            """
            PRAGMA synchronous = OFF;
            PRAGMA cache_size = 1;
            BEGIN IMMEDIATE;
            UPDATE ZAUTHOR SET ZNAME = 'changed';
            WITH RECURSIVE counter(n) AS (VALUES(100) UNION ALL SELECT n + 1 FROM counter LIMIT 500)
            INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT n, 1, 1, printf('%0500d', n) FROM counter;
            """)
        for suffix in ["-journal", ""] {
            try FileManager.default.copyItem(
                atPath: whole.path + suffix, toPath: url.path + suffix)
        }
        try connection.execute("ROLLBACK")
        try #require(FileManager.default.fileExists(atPath: url.path + "-journal"))
        try #require(try Data(contentsOf: url).contains("changed"))
    }

    private func authors(in description: PersistentStoreDescription) throws -> [String] {
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        let store = try coordinator.addPersistentStore(description)
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let names = try context.performAndWait {
            try TestSupport.Author.all(in: context).map(\.name)
        }
        try coordinator.removePersistentStore(store)
        return names
    }

    @Test(arguments: [true, false])
    func `opening rolls the file back (§11.4.1)`(usesWAL: Bool) throws {
        let description = usesWAL ? .sqlite(at: url) : Self.description(url)
        #expect(try authors(in: description) == ["Lem"])
        #expect(!FileManager.default.fileExists(atPath: url.path + "-journal"))
    }

    @Test func `a reader rolls a copy back and leaves the file as it is (§11.4.1)`() throws {
        let before = [
            try Data(contentsOf: url), try Data(contentsOf: folder.url("library.sqlite-journal")),
        ]
        var description = Self.description(url)
        description.isReadOnly = true
        #expect(try authors(in: description) == ["Lem"])
        let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: url)
        #expect(metadata.versionHashes["Author"] != nil)
        let after = [
            try Data(contentsOf: url), try Data(contentsOf: folder.url("library.sqlite-journal")),
        ]
        #expect(after == before)
    }

    @Test func `a symbolic link leads to the journal as well`() throws {
        let link = folder.url("link.sqlite")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: link)
        #expect(try authors(in: .sqlite(at: link)) == ["Lem"])
    }

    @Test func `reading it keeps the locks of other connections (§11.4.1)`() throws {
        let journal = folder.url("library.sqlite-journal")
        let parked = folder.url("parked")
        let locks = try FileLocks(url)
        try FileManager.default.moveItem(at: journal, to: parked)
        let connection = try Connection(SQLiteConfiguration(path: url.path, mode: .readWrite))
        try connection.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
        try FileManager.default.moveItem(at: parked, to: journal)
        #expect(locks.areHeld)
        _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: url)
        #expect(locks.areHeld)
        try connection.close()
    }

    @Test func `a copy that cannot be made is an error of the store (§5.6.4)`() throws {
        let error = #expect(throws: StoreError.self) {
            try RecoveredCopy.ifNeeded(
                for: url, timeout: .zero, in: folder.url("library.sqlite/folder"))
        }
        #expect(error?.reason == .cannotOpen && error?.url == url)
    }

    @Test func `a copy is removed with its last reference`() throws {
        let parent = folder.url("copies")
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: parent.path)
        }
        var copy = try RecoveredCopy.ifNeeded(for: url, timeout: .zero, in: parent)
        #expect(copy != nil)
        #expect(try names().count == 1)
        copy = nil
        #expect(try names() == [])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a journal of a transaction that goes on is waited for no longer than the timeout`()
        throws
    {
        let busy = folder.url("whole.sqlite")
        let connection = try Connection(SQLiteConfiguration(path: busy.path, mode: .readWrite))
        try connection.execute(
            """
            PRAGMA synchronous = OFF;
            PRAGMA cache_size = 1;
            BEGIN EXCLUSIVE;
            UPDATE ZAUTHOR SET ZNAME = 'changed';
            WITH RECURSIVE counter(n) AS (VALUES(100) UNION ALL SELECT n + 1 FROM counter LIMIT 500)
            INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT n, 1, 1, printf('%0500d', n) FROM counter;
            """)
        try #require(FileState.hasContent(path: busy.path + "-journal"))
        var description = Self.description(busy)
        description.isReadOnly = true
        description.timeout = .milliseconds(50)
        let error = #expect(throws: StoreError.self) { try authors(in: description) }
        #expect(error?.reason == .timeout, "\(String(describing: error))")
        try connection.execute("ROLLBACK")
        #expect(try authors(in: description) == ["Lem"])
    }

    @Test func `a backup of it has what was committed (§11.5.3)`() throws {
        let backup = folder.url("backup.sqlite")
        try PersistentStoreCoordinator.replacePersistentStore(at: backup, with: url)
        #expect(try authors(in: .sqlite(at: backup)) == ["Lem"])
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: Data(text.utf8)) != nil }
}

/// Several coordinators, of one process or of several, may be the first to open a file.
@Suite struct `Opening a new store at once (§11.1)` {
    let folder = TemporaryFolder()

    @Test func `what another has made meanwhile is not made again`() throws {
        let url = folder.url("library.sqlite")
        let others = Recorder<PersistentStoreCoordinator>()
        var description = PersistentStoreDescription.sqlite(at: url)
        // The first statement searches for tables, and finds none.
        description.statementObserver = { _, _ in
            guard others.values.isEmpty else { return }
            do {
                let other = PersistentStoreCoordinator(model: try makeLibraryModel())
                others.values.append(other)
                try other.addPersistentStore(.sqlite(at: url))
            } catch {
                Issue.record(error)
            }
        }
        let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
        let store = try coordinator.addPersistentStore(description)
        #expect(others.values.first?.persistentStores.first?.identifier == store.identifier)
    }

    @Test(arguments: ["WAL", "DELETE"])
    func `six threads open and fill one new store`(_ journal: String) throws {
        for round in 0..<8 {
            let url = folder.url("\(journal)-\(round).sqlite")
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 6) { number in
                do {
                    let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
                    var description = PersistentStoreDescription.sqlite(at: url)
                    description.pragmas = ["journal_mode": journal]
                    try coordinator.addPersistentStore(description)
                    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
                    try context.performAndWait {
                        TestSupport.Author(context: context).name = "\(number)"
                        try context.save()
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            let failed = failures.withLock { $0 }
            #expect(failed == [])
            let coordinator = PersistentStoreCoordinator(model: try makeLibraryModel())
            try coordinator.addPersistentStore(.sqlite(at: url))
            let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
            let names = try context.performAndWait {
                try TestSupport.Author.all(in: context, sortedBy: [.ascending("name")]).map(\.name)
            }
            #expect(names == (0..<6).map(String.init))
        }
    }

    @Test func `a journal mode of the program's choice is never WAL in between (§11.4.2)`() throws {
        let url = folder.url("library.sqlite")
        var description = PersistentStoreDescription.sqlite(at: url)
        description.pragmas = ["Journal_Mode": "DELETE"]
        description.timeout = .zero
        let first = PersistentStoreCoordinator(model: try makeLibraryModel())
        try first.addPersistentStore(description)
        // A change of the mode would need a connection without others.
        let reader = try Connection(SQLiteConfiguration(path: url.path, mode: .readOnly))
        try reader.execute("BEGIN")
        #expect(try reader.statement("SELECT 1 FROM Z_METADATA").step())
        let second = PersistentStoreCoordinator(model: try makeLibraryModel())
        let store = try second.addPersistentStore(description)
        #expect(try second.pragma("journal_mode", of: store) == "delete")
    }
}
