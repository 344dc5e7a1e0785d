import Testing

@testable import ObjectGraph

@Suite struct `Statements and their cache` {
    let connection: Connection

    init() throws {
        connection = try Connection(.memory)
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
        _ = connection.takeStatistics()
    }

    @Test func `the same SQL is compiled once`() throws {
        let first = try connection.statement("SELECT 1")
        try first.run()
        #expect(try connection.statement("SELECT 1") === first)
        #expect(connection.statistics.statementsPrepared == 1)
    }

    @Test func `a running statement is not handed out again`() throws {
        let first = try connection.statement("SELECT 1 UNION SELECT 2")
        #expect(try first.step())
        let second = try connection.statement("SELECT 1 UNION SELECT 2")
        #expect(second !== first)
        #expect(try second.step())
        #expect(try first.step())
        #expect(first.value(at: 0).integer == 2)
        #expect(second.value(at: 0).integer == 1)
    }

    @Test func `a cached statement comes back with no arguments`() throws {
        let statement = try connection.statement("SELECT ?")
        statement.bind(Int64(7), at: 1)
        try statement.run()
        let again = try connection.statement("SELECT ?")
        #expect(try again.step())
        #expect(again.value(at: 0).isNull)
    }

    @Test func `the least recently used statement makes room`() throws {
        let cache = StatementCache(capacity: 2)
        let statements = try ["SELECT 1", "SELECT 2", "SELECT 3"].map {
            try connection.statement($0)
        }
        cache.insert(statements[0])
        cache.insert(statements[1])
        // Twice: the second time it is found as the latest statement.
        for _ in 0..<2 { #expect(cache.statement(for: "SELECT 1") === statements[0]) }
        cache.insert(statements[2])
        #expect(cache.count == 2)
        #expect(cache.statement(for: "SELECT 2") == nil)
        #expect(cache.statement(for: "SELECT 1") === statements[0])
    }

    @Test func `the cache of a connection is bounded`() throws {
        for number in 0..<1000 { try connection.statement("SELECT \(number)").run() }
        #expect(connection.statementCache.count == 256)
    }

    @Test func `a statement resets itself at the end and can run again`() throws {
        let statement = try connection.statement("SELECT 1")
        for _ in 0..<3 {
            #expect(try statement.step())
            #expect(statement.isRunning)
            #expect(try !statement.step())
            #expect(!statement.isRunning)
        }
    }

    @Test func `a statement resets itself on failure and can run again`() throws {
        let insert = try connection.statement("INSERT INTO item (name) VALUES (?)")
        insert.bind("a", at: 1)
        try insert.run()
        let error = try #require(#expect(throws: SQLiteError.self) { try insert.run() })
        #expect(error.isConstraint)
        #expect(error.extendedCode == 2067)
        #expect(error.message == "UNIQUE constraint failed: item.name")
        #expect(error.sql == "INSERT INTO item (name) VALUES (?)")
        insert.bind("b", at: 1)
        try insert.run()
        #expect(connection.changes == 1)
    }

    @Test(arguments: ["", "  ", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1␀ garbage"])
    func `exactly one statement is compiled`(_ sql: String) {
        let sql = sql.replacing("␀", with: "\0")
        #expect(throws: SQLiteError.self) { try connection.statement(sql) }
    }

    @Test func `SQL that does not compile is quoted in the error`() throws {
        let error = try #require(
            #expect(throws: SQLiteError.self) { try connection.statement("SELEKT 1") })
        #expect(error.code == 1)
        #expect(error.description.contains("SELEKT 1"))
    }

    @Test func `several statements are executed in order`() throws {
        try connection.execute(
            """
            ; -- leading
            INSERT INTO item (name) VALUES ('ä;b'); SELECT * FROM item;
            /* between */ UPDATE item SET name = 'c';
            -- trailing
            """)
        let statement = try connection.statement("SELECT name FROM item")
        #expect(try statement.step())
        #expect(statement.value(at: 0).string == "c")
    }

    @Test func `a statement knows its columns and whether it only reads`() throws {
        let statement = try connection.statement("SELECT id, name AS title FROM item")
        #expect(statement.columnCount == 2)
        #expect(statement.isReadOnly)
        #expect(try !connection.statement("DELETE FROM item").isReadOnly)
    }

    @Test func `a cancelled statement says that it was interrupted`() throws {
        let progress = FetchProgress()
        try connection.register(function: "stop", argumentCount: 0, deterministic: false) { _ in
            progress.cancel()
            return .null
        }
        let statement = try connection.statement(
            "WITH RECURSIVE n(i) AS (SELECT stop() UNION ALL SELECT 1 FROM n) SELECT * FROM n")
        let error = try #require(
            #expect(throws: SQLiteError.self) {
                try connection.reporting(to: progress) { try statement.run() }
            })
        #expect(error.isInterruption)
        #expect(progress.rowCount > 0)
        // Nothing is left of it.
        try connection.execute("SELECT 1")
    }

    @Test func `what was cancelled before does not begin`() throws {
        let progress = FetchProgress()
        progress.cancel()
        #expect(throws: SQLiteError.self) {
            try connection.reporting(to: progress) { Issue.record("It has begun.") }
        }
    }
}
