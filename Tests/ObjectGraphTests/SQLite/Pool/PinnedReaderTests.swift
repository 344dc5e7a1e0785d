import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Pinned readers` {
    let folder = TemporaryFolder()
    static let insert = "INSERT INTO account (balance) VALUES (0)"

    func makePool(journal: String = "wal", readers: Int = 1) throws -> ConnectionPool {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("journal_mode", journal)]
        let pool = try ConnectionPool(configuration: configuration, maximumReaderCount: readers)
        try pool.write {
            try $0.execute(
                "CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER)")
        }
        return pool
    }

    func count(_ connection: Connection) throws -> Int64 {
        let statement = try connection.statement("SELECT count(*) FROM account")
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : -1
    }

    @Test(arguments: [0, 1, 3])
    func `they see the state in which they began`(readers: Int) throws {
        let pool = try makePool(readers: readers)
        let pinned = try #require(try pool.pin())
        try pool.write { try $0.execute(Self.insert) }
        let later = try #require(try pool.pin())
        try pool.write { try $0.execute(Self.insert) }
        #expect(try pinned.read(count) == 0)
        #expect(try later.read(count) == 1)
        #expect(try pool.read(count) == 2)
        #expect(try pinned.read(count) == 0)
        try pool.close()
    }

    @Test func `a body that fails leaves the state as it was`() throws {
        struct Failure: Error {}
        let pool = try makePool()
        let pinned = try #require(try pool.pin())
        try pool.write { try $0.execute(Self.insert) }
        #expect(throws: Failure.self) {
            try pinned.read { connection in
                _ = try connection.statement("SELECT * FROM account").step()
                throw Failure()
            }
        }
        #expect(throws: SQLiteError.self) { try pinned.read { try $0.execute(Self.insert) } }
        #expect(try pinned.read(count) == 0)
    }

    @Test func `a released one becomes a reader of the newest state`() throws {
        let pool = try makePool()
        do {
            let pinned = try #require(try pool.pin())
            try pool.write { try $0.execute(Self.insert) }
            #expect(try pinned.read(count) == 0)
        }
        #expect(try pool.read(count) == 1)
        #expect(try pool.write { try $0.checkpoint(.truncate) } == (0, 0))
    }

    @Test func `without a WAL there are none, and writers need not wait`() throws {
        let pool = try makePool(journal: "delete")
        #expect(try pool.pin() == nil)
        try pool.write { try $0.execute(Self.insert) }
        #expect(try ConnectionPool(configuration: .memory, maximumReaderCount: 2).pin() == nil)
    }

    @Test func `closing the pool ends them`() throws {
        let pool = try makePool()
        let pinned = try #require(try pool.pin())
        try pool.close()
        #expect(throws: PinError.self) { try pinned.read(count) }
        #expect(throws: SQLiteError.self) { try pool.pin() }
    }
}
