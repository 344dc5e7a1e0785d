import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Statistics and trace` {
    let folder = TemporaryFolder()

    final class Log: Sendable {
        private let events = Mutex<[FinishedStatement]>([])
        func append(_ event: FinishedStatement) { events.withLock { $0.append(event) } }
        func take() -> [String] {
            events.withLock { events in
                defer { events = [] }
                // Which a tracer, that another test may have attached, makes each commit ask.
                return events.map(\.sql).filter { $0 != "PRAGMA wal_autocheckpoint" }
            }
        }
    }

    func open(_ log: Log? = nil) throws -> Connection {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("journal_mode", "wal")]
        if let log { configuration.trace = { log.append($0) } }
        let connection = try Connection(configuration)
        try connection.execute("CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, name)")
        _ = connection.takeStatistics()
        _ = log?.take()
        return connection
    }

    @Test func `opening is not counted`() throws {
        #expect(try Connection(.memory).statistics == ConnectionStatistics(pageSize: 4096))
    }

    @Test func `statements, rows and transactions are counted exactly`() throws {
        let connection = try open()
        try connection.transaction(.immediate) {
            let insert = try connection.statement("INSERT INTO item (name) VALUES (?)")
            for name in ["a", "b", "c"] {
                insert.bind(name, at: 1)
                try insert.run()
            }
        }
        let select = try connection.statement("SELECT * FROM item")
        #expect(try select.step())
        #expect(try select.step())
        select.reset()
        try select.run()
        try connection.execute("DELETE FROM item")
        connection.rollback()
        let statistics = connection.statistics
        #expect(statistics.statementsPrepared == 5)
        #expect(statistics.statementsRun == 1 + 3 + 1 + 2 + 1)
        #expect(statistics.rowsRead == 2 + 3)
        #expect(statistics.transactionsCommitted == 2)
        #expect(statistics.transactionsRolledBack == 0)
    }

    @Test func `reading commits nothing`() throws {
        let connection = try open()
        try connection.transaction(.deferred) { try connection.execute("SELECT * FROM item") }
        #expect(connection.statistics.transactionsCommitted == 0)
        #expect(connection.statistics.pagesWritten == 0)
    }

    @Test func `pages written are those in the WAL, and are not lost by looking`() throws {
        let connection = try open()
        try connection.checkpoint(.truncate)
        for expected in 1...3 {
            try connection.execute("INSERT INTO item (name) VALUES ('a')")
            #expect(connection.statistics.pagesWritten == expected)
            #expect(connection.statistics.bytesWritten == expected * 4096)
        }
        let wal = try Data(contentsOf: folder.url("store.db-wal"))
        #expect(wal.count == 32 + 3 * (24 + 4096))
        #expect(connection.takeStatistics().pagesWritten == 3)
        #expect(connection.statistics.pagesWritten == 0)
    }

    @Test func `the trace tells each statement with its arguments`() throws {
        let log = Log()
        let connection = try open(log)
        try connection.transaction(.immediate) {
            let insert = try connection.statement("INSERT INTO item (name) VALUES (?)")
            insert.bind("it's", at: 1)
            try insert.run()
            insert.bind(Int64(2), at: 1)
            try insert.run()
        }
        #expect(
            log.take() == [
                "BEGIN IMMEDIATE", "INSERT INTO item (name) VALUES ('it''s')",
                "INSERT INTO item (name) VALUES (2)", "COMMIT",
            ])
    }

    @Test func `a borrowed argument that is gone is never traced`() throws {
        let log = Log()
        let connection = try open(log)
        var statement: Statement? = try connection.statement("SELECT ?, 1 UNION SELECT 2, 2")
        Array("gone".utf8).withUnsafeBytes { statement?.bind(text: $0, at: 1) }
        connection.statementCache.removeAll()
        // Bound and dropped before a step: nothing ran.
        statement = nil
        #expect(log.take() == [])
        statement = try connection.statement("SELECT ?, 1 UNION ALL SELECT 2, 2")
        try Array("gone".utf8).withUnsafeBytes {
            statement?.bind(text: $0, at: 1)
            _ = try statement?.step()
        }
        connection.handle.resetStatements()
        #expect(log.take() == ["SELECT NULL, 1 UNION ALL SELECT 2, 2"])
        #expect(statement?.isRunning == false)
    }
}
