import Foundation
import TestSupport
import Testing

@testable import ObjectGraph

@Suite struct `Opening a database` {
    let folder = TemporaryFolder()

    func failure(_ mode: SQLiteConfiguration.Mode, _ name: String) -> SQLiteError? {
        #expect(throws: SQLiteError.self) {
            _ = try Connection(SQLiteConfiguration(path: folder.path(name), mode: mode))
        }
    }

    func makeDatabase(_ name: String) throws {
        let connection = try Connection(SQLiteConfiguration(path: folder.path(name)))
        try connection.execute(
            """
            CREATE TABLE note (body TEXT);
            WITH RECURSIVE counter(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM counter LIMIT 500)
            INSERT INTO note SELECT printf('%0200d', n) FROM counter;
            """)
        try connection.close()
    }

    @Test func `creates the file only if asked to`() throws {
        #expect(failure(.readWrite, "new.db")?.code == 14)
        #expect(failure(.readOnly, "new.db")?.code == 14)
        try makeDatabase("new.db")
        _ = try Connection(SQLiteConfiguration(path: folder.path("new.db"), mode: .readWrite))
    }

    @Test func `a missing folder is named, with what to do`() throws {
        let error = try #require(failure(.readWriteCreate, "missing/new.db"))
        #expect(error.code == 14)
        #expect(error.path == folder.path("missing/new.db"))
        #expect(error.description.contains("folder exists"))
    }

    @Test func `a file of another kind is not a database`() throws {
        try Data(repeating: 0x41, count: 8192).write(to: folder.url("text.db"))
        let error = try #require(failure(.readWriteCreate, "text.db"))
        #expect(error.code == 26)
        #expect(error.isCorruption)
        #expect(error.description.contains("check the path"))
    }

    @Test func `a truncated file is corrupt`() throws {
        try makeDatabase("cut.db")
        let whole = try Data(contentsOf: folder.url("cut.db"))
        #expect(whole.count > 16384)
        try whole.prefix(8192).write(to: folder.url("cut.db"))
        let error = try #require(failure(.readWriteCreate, "cut.db"))
        #expect(error.code == 11)
        #expect(error.isCorruption)
    }

    @Test func `an empty file is a new database`() throws {
        try Data().write(to: folder.url("empty.db"))
        try makeDatabase("empty.db")
    }

    @Test func `read-only refuses to write`() throws {
        try makeDatabase("old.db")
        let connection = try Connection(
            SQLiteConfiguration(path: folder.path("old.db"), mode: .readOnly))
        #expect(connection.isReadOnly)
        let error = try #require(
            #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM note") })
        #expect(error.isReadOnly)
        #expect(error.sql == "DELETE FROM note")
    }

    @Test func `pragmas are set in order, quoted`() throws {
        var configuration = SQLiteConfiguration(path: folder.path("pragmas.db"))
        configuration.pragmasOfNewFiles = [("page_size", "8192"), ("auto_vacuum", "2")]
        configuration.pragmas = [
            ("journal_mode", "WAL"), ("cache_size", "-1234"), ("synchronous", "normal"),
        ]
        let connection = try Connection(configuration)
        func setting(_ name: String) throws -> String {
            let statement = try connection.statement("PRAGMA \(name)")
            defer { statement.reset() }
            return try statement.step() ? statement.value(at: 0).string : ""
        }
        #expect(try setting("page_size") == "8192")
        #expect(try setting("auto_vacuum") == "2")
        #expect(try setting("journal_mode") == "wal")
        #expect(try setting("cache_size") == "-1234")
        #expect(try setting("synchronous") == "1")
        #expect(connection.statistics.pageSize == 8192)
    }

    @Test func `a pragma value cannot smuggle in a statement`() throws {
        try makeDatabase("safe.db")
        var configuration = SQLiteConfiguration(path: folder.path("safe.db"))
        configuration.pragmas = [("cache_size", "1'; DROP TABLE note; --")]
        let connection = try Connection(configuration)
        #expect(try connection.statement("SELECT * FROM note").step())
    }

    @Test func `an unknown VFS fails`() {
        var configuration = SQLiteConfiguration(path: folder.path("vfs.db"))
        configuration.vfs = "no such system"
        #expect(throws: SQLiteError.self) { _ = try Connection(configuration) }
    }

    @Test func `closing waits for no statement but says that one is held`() throws {
        let connection = try Connection(.memory)
        var statement: Statement? = try connection.statement("SELECT 1")
        _ = try statement?.step()
        #expect(throws: SQLiteError.self) { try connection.close() }
        statement = nil
        try connection.close()
        try connection.close()
    }

    @Test func `a statement outlives the reference to its connection`() throws {
        let statement = try Connection(.memory).statement("SELECT 42")
        #expect(try statement.step())
        #expect(statement.value(at: 0).integer == 42)
    }

    @Test func `a backup replaces the whole destination`() throws {
        try makeDatabase("source.db")
        let source = try Connection(SQLiteConfiguration(path: folder.path("source.db")))
        let destination = try Connection(SQLiteConfiguration(path: folder.path("copy.db")))
        try destination.execute("CREATE TABLE other (x)")
        try Connection.backup(from: source, to: destination)
        let count = try destination.statement("SELECT count(*) FROM note")
        #expect(try count.step())
        #expect(count.value(at: 0).integer == 500)
        #expect(throws: SQLiteError.self) { try destination.statement("SELECT * FROM other") }
    }
}
