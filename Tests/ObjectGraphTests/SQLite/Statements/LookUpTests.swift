import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// Look-ups of rows by their keys. While a snapshot is held, they are one run of a statement.
@Suite struct `Look-ups by key` {
    let folder = TemporaryFolder()
    static let sql = LookUpSQL("t0.balance", from: "account", condition: nil)
    static let richSQL = LookUpSQL("t0.balance", from: "account", condition: "t0.balance > 20")

    /// Accounts 1 to 4, with ten times the balance.
    func makePool(trace: (@Sendable (FinishedStatement) -> Void)? = nil) throws -> ConnectionPool {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("journal_mode", "wal")]
        configuration.trace = trace
        let pool = try ConnectionPool(configuration: configuration, maximumReaderCount: 1) {
            try $0.registerRequestedKey()
        }
        try pool.write {
            try $0.execute(
                """
                CREATE TABLE account (Z_PK INTEGER PRIMARY KEY, balance INTEGER);
                INSERT INTO account VALUES (1, 10), (2, 20), (3, 30), (4, 40);
                """)
        }
        pool.resetStatistics()
        return pool
    }

    func balance(
        _ key: Int64, _ pool: ConnectionPool, _ sql: LookUpSQL = Self.sql, holding: Bool = true
    ) throws -> Int64? {
        try pool.read(keepingSnapshot: holding) { connection in
            try connection.lookUp(key, sql) { $0.value(at: 0).integer }
        }
    }

    @Test(arguments: [false, true])
    func `rows are found in any order, and missing ones are nil`(holding: Bool) throws {
        let pool = try makePool()
        let found = try [3, 1, 1, 5, 2, -1, 4, 9, 3].map {
            try balance($0, pool, holding: holding)
        }
        #expect(found == [30, 10, 10, nil, 20, nil, 40, nil, 30])
        #expect(pool.statistics.statementsRun == 9)
        #expect(pool.statistics.rowsRead == 6)
    }

    @Test func `statements of two kinds alternate`() throws {
        let pool = try makePool()
        for key in [1, 3, 2, 4] as [Int64] {
            #expect(try balance(key, pool) == key * 10)
            #expect(try balance(key, pool, Self.richSQL) == (key > 2 ? key * 10 : nil))
        }
    }

    @Test func `the run ends with the snapshot`() throws {
        let pool = try makePool()
        #expect(try balance(1, pool) == 10)
        try pool.write { try $0.execute("UPDATE account SET balance = balance + 1") }
        #expect(try balance(1, pool) == 11)
        #expect(try balance(2, pool, holding: false) == 21)
        #expect(try balance(3, pool) == 31)
        pool.releaseSnapshots()
        // Nothing is left that reads from the WAL.
        let frames = try pool.write { try $0.checkpoint(.truncate) }
        #expect(frames == (0, 0))
        #expect(try balance(4, pool) == 41)
        try pool.close()
    }

    @Test func `a statement that is left running ends, and the next look-up begins again`() throws {
        let pool = try makePool()
        #expect(try balance(1, pool) == 10)
        try pool.read(keepingSnapshot: true) { connection in
            let statement = try connection.statement("SELECT Z_PK FROM account")
            #expect(try statement.step())
        }
        #expect(try balance(2, pool) == 20)
    }

    @Test func `a row that cannot be read does not end the run`() throws {
        struct Refusal: Error {}
        let pool = try makePool()
        #expect(try balance(1, pool) == 10)
        #expect(throws: Refusal.self) {
            try pool.read(keepingSnapshot: true) { connection in
                try connection.lookUp(2, Self.sql) { _ in throw Refusal() }
            }
        }
        #expect(try balance(3, pool) == 30)
    }

    @Test func `a trace has each look-up with its key`() throws {
        let traced = Mutex<[String]>([])
        let pool = try makePool(trace: { event in traced.withLock { $0.append(event.sql) } })
        traced.withLock { $0 = [] }
        #expect(try [1, 5].map { try balance($0, pool) } == [10, nil])
        #expect(
            traced.withLock { $0 }
                == [1, 5].map { "SELECT t0.balance FROM account t0 WHERE t0.Z_PK = \($0)" })
    }

    @Test func `without a requested key its table is empty`() throws {
        let pool = try makePool()
        try pool.read { connection in
            let statement = try connection.statement("SELECT key FROM OGRequestedKey")
            let hasRow = try statement.step()
            #expect(!hasRow)
            #expect(throws: SQLiteError.self) {
                try connection.execute("CREATE VIRTUAL TABLE x USING OGRequestedKey")
            }
        }
    }
}
