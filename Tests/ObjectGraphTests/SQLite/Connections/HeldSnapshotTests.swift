import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// Reads that share a snapshot, like the faults of one turn of a context.
@Suite struct `Held snapshots` {
    let folder = TemporaryFolder()
    static let insert = "INSERT INTO account (balance) VALUES (0)"

    func makePool(
        journalMode: String = "wal", trace: (@Sendable (FinishedStatement) -> Void)? = nil
    ) throws -> ConnectionPool {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("journal_mode", journalMode)]
        configuration.trace = trace
        let pool = try ConnectionPool(configuration: configuration, maximumReaderCount: 1)
        try pool.write {
            try $0.execute(
                "CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER)")
        }
        pool.resetStatistics()
        return pool
    }

    /// Writes like another process, without the pools. Fails at once if it would have to wait.
    func insertFromOutside() throws {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.busyTimeout = .zero
        let outsider = try Connection(configuration)
        try outsider.execute(Self.insert)
        try outsider.close()
    }

    func count(
        _ pool: ConnectionPool, keepingSnapshot: Bool, seesNewest: Bool = false
    ) throws -> Int64 {
        try pool.read(keepingSnapshot: keepingSnapshot, seesNewest: seesNewest) { connection in
            let statement = try connection.statement("SELECT count(*) FROM account")
            defer { statement.reset() }
            return try statement.step() ? statement.value(at: 0).integer : -1
        }
    }

    @Test func `reads that keep a snapshot see one state`() throws {
        let pool = try makePool()
        #expect(try count(pool, keepingSnapshot: true) == 0)
        try insertFromOutside()
        #expect(try count(pool, keepingSnapshot: true) == 0)
    }

    /// Its end is a statement, which needs the database and is traced.
    @Test func `a snapshot keeps its connection open until it has ended`() throws {
        var configuration = SQLiteConfiguration(path: folder.path("dropped.db"))
        configuration.pragmas = [("journal_mode", "wal")]
        configuration.trace = { _ in }
        var connection: Connection? = try Connection(configuration)
        var snapshot: HeldSnapshot? = try HeldSnapshot(on: connection!.handle)
        snapshot!.hold(since: 0, isNewest: false)
        weak let handle = connection!.handle
        connection = nil
        #expect(handle != nil)
        snapshot = nil
        #expect(handle == nil)
    }

    @Test func `a read that keeps none sees the newest state`() throws {
        let pool = try makePool()
        #expect(try count(pool, keepingSnapshot: true) == 0)
        try insertFromOutside()
        #expect(try count(pool, keepingSnapshot: false) == 1)
    }

    @Test func `a read that sees the newest state shares a snapshot until anyone commits`() throws {
        let pool = try makePool()
        for expected in 0..<3 as Range<Int64> {
            for _ in 0..<2 {
                #expect(try count(pool, keepingSnapshot: true, seesNewest: true) == expected)
                // Faults of the same turn see this state.
                #expect(try count(pool, keepingSnapshot: true) == expected)
            }
            let isHeld = try pool.read(keepingSnapshot: true, seesNewest: true) {
                $0.heldSnapshot?.isHeld
            }
            #expect(isHeld == true)
            try insertFromOutside()
        }
        try pool.write { try $0.execute(Self.insert) }
        #expect(try count(pool, keepingSnapshot: true, seesNewest: true) == 4)
        // The WAL begins again.
        pool.releaseSnapshots()
        try pool.write { _ = try $0.checkpoint(.truncate) }
        #expect(try count(pool, keepingSnapshot: true, seesNewest: true) == 4)
        try insertFromOutside()
        #expect(try count(pool, keepingSnapshot: true, seesNewest: true) == 5)
    }

    @Test(arguments: [false, true])
    func `without a WAL it holds none that others wait for, and leaves no index`(
        seesNewest: Bool
    ) throws {
        let pool = try makePool(journalMode: "delete")
        for expected in 0..<3 as Range<Int64> {
            #expect(try count(pool, keepingSnapshot: true, seesNewest: seesNewest) == expected)
            try insertFromOutside()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files == ["store.db"])
    }

    @Test func `a snapshot ends when it is released`() throws {
        let pool = try makePool()
        #expect(try count(pool, keepingSnapshot: true) == 0)
        try insertFromOutside()
        pool.releaseSnapshots()
        #expect(try count(pool, keepingSnapshot: true) == 1)
    }

    @Test func `a snapshot ends when any pool of this process writes to the file`() throws {
        let pool = try makePool()
        let sibling = try makePool()
        #expect(try count(pool, keepingSnapshot: true) == 0)
        try sibling.write { try $0.execute(Self.insert) }
        #expect(try count(pool, keepingSnapshot: true) == 1)
        try pool.write { try $0.execute(Self.insert) }
        #expect(try count(pool, keepingSnapshot: true) == 2)
    }

    @Test func `a held snapshot does not keep the pool's own writer from emptying the WAL`() throws
    {
        let pool = try makePool()
        #expect(try count(pool, keepingSnapshot: true) == 0)
        try pool.write { try $0.execute(Self.insert) }
        #expect(try count(pool, keepingSnapshot: true) == 1)
        let frames = try pool.write { try $0.checkpoint(.truncate) }
        #expect(frames == (0, 0))
    }

    @Test func `holding and releasing are neither counted nor traced`() throws {
        let traced = Mutex<[String]>([])
        let pool = try makePool(trace: { event in traced.withLock { $0.append(event.sql) } })
        traced.withLock { $0 = [] }
        for _ in 0..<2 { _ = try count(pool, keepingSnapshot: true) }
        pool.releaseSnapshots()
        #expect(pool.statistics.statementsRun == 2)
        #expect(
            traced.withLock { $0 } == Array(repeating: "SELECT count(*) FROM account", count: 2))
    }

    @Test func `closing a pool releases its snapshots`() throws {
        let pool = try makePool()
        _ = try count(pool, keepingSnapshot: true)
        try pool.close()
        #expect(throws: SQLiteError.self) { try count(pool, keepingSnapshot: true) }
    }
}
