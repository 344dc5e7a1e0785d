import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ObjectGraph

/// Where SQLite keeps what takes a failed statement back.
@Suite struct `Statement journals` {
    private let folder = TemporaryFolder()

    private func temporaryStore(of connection: Connection) throws -> Int64 {
        let statement = try connection.statement("PRAGMA temp_store")
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).integer : -1
    }

    @Test func `they are in memory during a transaction of small statements`() throws {
        let traced = Mutex<[String]>([])
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.trace = { event in traced.withLock { $0.append(event.sql) } }
        let connection = try Connection(configuration)
        let inside = try connection.keepingStatementJournalInMemory {
            try temporaryStore(of: connection)
        }
        #expect(inside == 2)
        #expect(try temporaryStore(of: connection) == 0)
        let settings = ["PRAGMA temp_store = 2", "PRAGMA temp_store = 0"]
        #expect(traced.withLock { $0.filter { $0.contains("=") } } == settings)
    }

    @Test func `the choice of a program stays`() throws {
        var configuration = SQLiteConfiguration(path: folder.path("store.db"))
        configuration.pragmas = [("temp_store", "1")]
        let connection = try Connection(configuration)
        let inside = try connection.keepingStatementJournalInMemory {
            try temporaryStore(of: connection)
        }
        #expect(inside == 1)
        #expect(try temporaryStore(of: connection) == 1)
    }
}
