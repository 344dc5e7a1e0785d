import Testing

@testable import ObjectGraph

@Suite struct `SQLite errors` {
    @Test(arguments: [
        (5, "retry"), (8, "permissions"), (10, "moved or deleted"), (11, "restore a backup"),
        (13, "free some space"), (14, "folder exists"), (26, "check the path"),
        // An extended code gets the advice of its primary code.
        (0x205, "retry"), (0xC0A, "moved or deleted"),
    ])
    func `the description says what to do next`(_ code: Int32, _ advice: String) {
        let error = SQLiteError(extendedCode: code, message: "words", sql: "SQL", path: "/a.db")
        #expect(error.description.hasPrefix("SQLite error \(code): words, in /a.db"))
        #expect(error.description.contains("while running: SQL. "))
        #expect(error.description.contains(advice))
    }

    @Test func `a failure without advice ends with the facts`() {
        let error = SQLiteError(extendedCode: 2067, message: "UNIQUE constraint failed: a.b")
        #expect(error.description == "SQLite error 2067: UNIQUE constraint failed: a.b")
        #expect(error.code == 19)
        #expect(error.isConstraint)
    }
}
