import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Transactions and locks` {
    let folder = TemporaryFolder()

    func open(wal: Bool = true, busyTimeout: Duration = .zero) throws -> Connection {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.busyTimeout = busyTimeout
        configuration.pragmas = [("journal_mode", wal ? "wal" : "delete")]
        let connection = try Connection(configuration)
        try connection.execute("CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY)")
        _ = connection.takeStatistics()
        return connection
    }

    func count(_ connection: Connection) throws -> Int64 {
        let statement = try connection.statement("SELECT count(*) FROM item")
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : -1
    }

    @Test(arguments: [TransactionKind.deferred, .immediate, .exclusive])
    func `a commit keeps, a rollback forgets`(_ kind: TransactionKind) throws {
        let connection = try open()
        try connection.transaction(kind) {
            #expect(connection.isInTransaction)
            try connection.execute("INSERT INTO item DEFAULT VALUES")
        }
        #expect(!connection.isInTransaction)
        try connection.begin(kind)
        try connection.execute("INSERT INTO item DEFAULT VALUES")
        #expect(try count(connection) == 2)
        connection.rollback()
        #expect(!connection.isInTransaction)
        #expect(try count(connection) == 1)
        #expect(connection.statistics.transactionsCommitted == 1)
        #expect(connection.statistics.transactionsRolledBack == 1)
    }

    @Test func `an error rolls back and is thrown on`() throws {
        struct Refusal: Error {}
        let connection = try open()
        #expect(throws: Refusal.self) {
            try connection.transaction(.immediate) {
                try connection.execute("INSERT INTO item DEFAULT VALUES")
                throw Refusal()
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try count(connection) == 0)
    }

    @Test func `a rollback outside a transaction does nothing`() throws {
        let connection = try open()
        connection.rollback()
        #expect(connection.statistics == ConnectionStatistics(pageSize: 4096))
    }

    @Test func `transactions do not nest`() throws {
        let connection = try open()
        try connection.begin(.deferred)
        #expect(throws: SQLiteError.self) { try connection.begin(.deferred) }
        connection.rollback()
        #expect(throws: SQLiteError.self) { try connection.commit() }
    }

    @Test func `no timeout means busy at once`() throws {
        let holder = try open()
        let other = try open()
        try holder.begin(.immediate)
        let error = try #require(
            #expect(throws: SQLiteError.self) { try other.begin(.immediate) })
        #expect(error.isBusy)
        #expect(error.description.contains("retry"))
        #expect(other.statistics.busyWaits == 0)
        holder.rollback()
        try other.begin(.immediate)
        try other.commit()
    }

    @Test func `a busy statement waits up to the timeout and counts its waits`() throws {
        let holder = try open()
        let other = try open(busyTimeout: .milliseconds(20))
        try holder.begin(.immediate)
        #expect(throws: SQLiteError.self) { try other.begin(.immediate) }
        #expect(other.statistics.busyWaits > 1)
        holder.rollback()
    }

    @Test func `a busy statement goes on when the lock is released`() async throws {
        let (held, holdIt) = AsyncStream.makeStream(of: Void.self)
        let waiting = DispatchSemaphore(value: 0)
        let holder = Task.detached {
            let connection = try open()
            try connection.begin(.immediate)
            try connection.execute("INSERT INTO item DEFAULT VALUES")
            holdIt.finish()
            waiting.wait()
            try connection.commit()
        }
        for await _ in held {}
        let other = try open(busyTimeout: .seconds(60))
        try other.register(function: "go", argumentCount: 0, deterministic: false) { _ in
            waiting.signal()
            return .null
        }
        // The function runs in a read transaction, whose snapshot is from before the commit.
        try other.execute("SELECT go()")
        try other.transaction(.immediate) {
            try other.execute("INSERT INTO item DEFAULT VALUES")
        }
        try await holder.value
        #expect(try count(other) == 2)
    }

    @Test func `a failed commit rolls back and the connection can be used again`() throws {
        let reader = try open(wal: false)
        let writer = try open(wal: false)
        try reader.begin(.deferred)
        #expect(try count(reader) == 0)
        let error = try #require(
            #expect(throws: SQLiteError.self) {
                try writer.transaction(.immediate) {
                    try writer.execute("INSERT INTO item DEFAULT VALUES")
                }
            })
        #expect(error.isBusy)
        #expect(!writer.isInTransaction)
        try reader.commit()
        #expect(try count(writer) == 0)
    }

    @Test func `a checkpoint moves the WAL into the file`() throws {
        let connection = try open()
        try connection.execute("INSERT INTO item DEFAULT VALUES")
        let passive = try connection.checkpoint(.passive)
        #expect(passive.walFrameCount > 0)
        #expect(passive.copiedFrameCount == passive.walFrameCount)
        try connection.checkpoint(.truncate)
        let wal = try Data(contentsOf: folder.url("store.db-wal"))
        #expect(wal.isEmpty)
    }
}
