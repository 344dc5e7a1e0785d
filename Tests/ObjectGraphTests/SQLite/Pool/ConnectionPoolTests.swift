import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Connection pool` {
    let folder = TemporaryFolder()

    func makePool(readers: Int = 3) throws -> ConnectionPool {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("journal_mode", "wal"), ("synchronous", "normal")]
        let pool = try ConnectionPool(configuration: configuration, maximumReaderCount: readers)
        try pool.write {
            try $0.execute("CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)")
        }
        pool.resetStatistics()
        return pool
    }

    static func integer(_ sql: String, _ connection: Connection) throws -> Int64 {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : -1
    }

    static func count(_ connection: Connection) throws -> Int64 {
        try integer("SELECT count(*) FROM account", connection)
    }

    static let insert = "INSERT INTO account (balance) VALUES (0)"

    @Test func `a reader sees the last commit`() throws {
        let pool = try makePool()
        try pool.write { try $0.execute(Self.insert) }
        #expect(try pool.read(Self.count) == 1)
        try pool.close()
    }

    @Test func `a read transaction keeps its snapshot while others commit`() throws {
        let pool = try makePool()
        try pool.read { reader in
            try reader.transaction(.deferred) {
                #expect(try Self.count(reader) == 0)
                try pool.write { try $0.execute(Self.insert) }
                #expect(try Self.count(reader) == 0)
                #expect(try pool.read(Self.count) == 1)
            }
            #expect(try Self.count(reader) == 1)
        }
    }

    @Test(arguments: [1, 2]) func `no more read at a time than allowed (§11.4.5)`(_ limit: Int)
        throws
    {
        let pool = try makePool(readers: limit)
        let reading = Atomic(0)
        let most = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 50) { _ in
            _ = try? pool.read { connection in
                most.max(reading.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                _ = try Self.count(connection)
                reading.subtract(1, ordering: .relaxed)
            }
        }
        #expect(1...limit ~= most.load(ordering: .relaxed))
        try pool.close()
    }

    @Test func `readers refuse to write`() throws {
        let pool = try makePool()
        let error = try #require(
            #expect(throws: SQLiteError.self) {
                try pool.read { try $0.execute(Self.insert) }
            })
        #expect(error.isReadOnly)
    }

    @Test func `an idle reader is used again`() throws {
        let opened = Atomic(0)
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("journal_mode", "wal")]
        let pool = try ConnectionPool(configuration: configuration, maximumReaderCount: 2) { _ in
            opened.add(1, ordering: .relaxed)
        }
        #expect(opened.load(ordering: .relaxed) == 1)
        for _ in 0..<5 { try pool.read { try $0.execute("SELECT 1") } }
        #expect(opened.load(ordering: .relaxed) == 2)
        try pool.read { _ in try pool.read { try $0.execute("SELECT 1") } }
        #expect(opened.load(ordering: .relaxed) == 3)
    }

    @Test func `a database in memory is read through the writer`() throws {
        let pool = try ConnectionPool(configuration: .memory, maximumReaderCount: 4)
        try pool.write {
            try $0.execute("CREATE TABLE account (id); INSERT INTO account VALUES (1)")
        }
        #expect(try pool.read(Self.count) == 1)
    }

    @Test func `statements left running end when the connection comes back`() throws {
        let pool = try makePool(readers: 1)
        try pool.write { try $0.execute("\(Self.insert); \(Self.insert)") }
        let abandoned = Mutex<Bool>(false)
        try pool.read { reader in
            let statement = try reader.statement("SELECT id FROM account")
            #expect(try statement.step())
            abandoned.withLock { $0 = statement.isRunning }
        }
        #expect(abandoned.withLock { $0 })
        try pool.write { try $0.execute(Self.insert) }
        // The same reader: had its statement gone on, it would still see the old snapshot.
        try pool.read { reader in
            let count = try Self.count(reader)
            #expect(count == 3)
            let statement = try reader.statement("SELECT id FROM account")
            #expect(!statement.isRunning)
        }
    }

    @Test func `a body that throws in a transaction loses it`() throws {
        struct Refusal: Error {}
        let pool = try makePool()
        #expect(throws: Refusal.self) {
            try pool.write { writer in
                try writer.begin(.immediate)
                try writer.execute(Self.insert)
                throw Refusal()
            }
        }
        #expect(try pool.write { $0.isInTransaction } == false)
        #expect(try pool.read(Self.count) == 0)
    }

    @Test func `returning inside a transaction is an error and rolls it back`() throws {
        let pool = try makePool()
        let error = try #require(
            #expect(throws: SQLiteError.self) {
                try pool.write { writer in
                    try writer.begin(.immediate)
                    try writer.execute(Self.insert)
                }
            })
        #expect(error.message.contains("left open"))
        #expect(try pool.write { $0.isInTransaction } == false)
        #expect(try pool.read(Self.count) == 0)
    }

    @Test func `a closed pool says so, and the file is left alone`() throws {
        let pool = try makePool()
        try pool.write { try $0.execute(Self.insert) }
        #expect(try pool.read(Self.count) == 1)
        try pool.close()
        try pool.close()
        #expect(throws: SQLiteError.self) { try pool.read { _ in } }
        #expect(throws: SQLiteError.self) { try pool.write { _ in } }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names == ["store.db"])
    }

    @Test func `a reader that cannot be opened gives its place back`() throws {
        struct Refusal: Error {}
        let refusing = Atomic(false)
        let pool = try ConnectionPool(
            configuration: SQLiteConfiguration(path: folder.path("store.db")),
            maximumReaderCount: 1
        ) { _ in
            if refusing.load(ordering: .relaxed) { throw Refusal() }
        }
        refusing.store(true, ordering: .relaxed)
        for _ in 0..<3 { #expect(throws: Refusal.self) { try pool.read { _ in } } }
        refusing.store(false, ordering: .relaxed)
        try pool.read { _ in }
    }

    @Test func `statistics are summed over readers and writer`() throws {
        let pool = try makePool()
        try pool.write { writer in
            try writer.transaction(.immediate) { try writer.execute(Self.insert) }
        }
        try pool.read { reader in
            let counts = try [Self.count(reader), pool.read(Self.count)]
            #expect(counts == [1, 1])
        }
        let statistics = pool.statistics
        #expect(statistics.statementsRun == 3 + 2)
        #expect(statistics.rowsRead == 2)
        #expect(statistics.transactionsCommitted == 1)
        #expect(statistics.pagesWritten == 1)
        #expect(statistics.bytesWritten == 4096)
        pool.resetStatistics()
        #expect(pool.statistics == ConnectionStatistics(pageSize: 4096))
    }

    /// Money moves between accounts from two threads while six count it: the sum never changes.
    @Test func `many readers and writers from several threads see whole transactions only`() throws
    {
        let pool = try makePool(readers: 3)
        try pool.write { writer in
            try writer.transaction(.immediate) {
                for _ in 0..<10 {
                    try writer.execute("INSERT INTO account (balance) VALUES (100)")
                }
            }
        }
        pool.resetStatistics()
        let failures = Mutex<[String]>([])
        let rounds = 200
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            do {
                for round in 0..<rounds {
                    if thread < 2 {
                        try pool.write { writer in
                            try writer.transaction(.immediate) {
                                let move = try writer.statement(
                                    "UPDATE account SET balance = balance + ? WHERE id = ?")
                                for (amount, account) in [(-1, round % 10), (1, (round + 1) % 10)] {
                                    move.bind(Int64(amount), at: 1)
                                    move.bind(Int64(account + 1), at: 2)
                                    try move.run()
                                }
                            }
                        }
                    } else {
                        let sum = try pool.read {
                            try Self.integer("SELECT sum(balance) FROM account", $0)
                        }
                        if sum != 1000 { failures.withLock { $0.append("sum \(sum)") } }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(pool.statistics.transactionsCommitted == 2 * rounds)
        #expect(pool.statistics.statementsRun == 2 * rounds * 4 + 6 * rounds)
        try pool.close()
    }
}
