import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `SQL functions and collations` {
    let connection: Connection

    init() throws { connection = try Connection(.memory) }

    func value<T>(of sql: String, _ read: (SQLiteValueReference) -> T) throws -> T {
        let statement = try connection.statement("SELECT \(sql)")
        defer { statement.reset() }
        #expect(try statement.step())
        return read(statement.value(at: 0))
    }

    @Test func `a function gets its arguments and returns every type`() throws {
        try connection.register(function: "answer", argumentCount: -1, deterministic: true) {
            arguments in
            switch arguments[0].string {
            case "integer": .integer(arguments[1].integer + 1)
            case "real": .real(arguments[1].real / 2)
            case "text": .text(arguments[1].string + "\0ü")
            case "blob": .blob(Array(arguments[1].blob.reversed()))
            case "argument": .argument(arguments[arguments.count - 1])
            default: .null
            }
        }
        #expect(try value(of: "answer('integer', 41)", \.integer) == 42)
        #expect(try value(of: "answer('real', 3)", \.real) == 1.5)
        #expect(try value(of: "answer('text', 'a')", \.string) == "a\0ü")
        #expect(try value(of: "answer('blob', x'010203')") { Array($0.blob) } == [3, 2, 1])
        #expect(try value(of: "answer('blob', x'')", \.type) == .blob)
        #expect(try value(of: "answer('argument', 1, 2.5)", \.real) == 2.5)
        #expect(try value(of: "answer('')", \.isNull))
    }

    @Test func `an error of a function fails the statement`() throws {
        struct Refusal: Error, CustomStringConvertible { var description: String { "I refuse" } }
        try connection.register(function: "refuse", argumentCount: 0, deterministic: false) { _ in
            throw Refusal()
        }
        let error = try #require(
            #expect(throws: SQLiteError.self) { try value(of: "refuse()", \.integer) })
        #expect(error.message == "I refuse")
    }

    @Test func `a SQLite error keeps its code through a function`() throws {
        try connection.register(function: "fill", argumentCount: 0, deterministic: false) { _ in
            throw SQLiteError(extendedCode: 13, message: "no space")
        }
        let error = try #require(
            #expect(throws: SQLiteError.self) { try value(of: "fill()", \.integer) })
        #expect(error.code == 13)
        #expect(error.message == "no space")
    }

    @Test func `a deterministic function may be indexed, another may not`() throws {
        try connection.execute("CREATE TABLE item (name TEXT)")
        for (name, deterministic) in [("stable", true), ("moody", false)] {
            try connection.register(
                function: name, argumentCount: 1, deterministic: deterministic
            ) { .text($0[0].string.lowercased()) }
        }
        try connection.execute("CREATE INDEX one ON item (stable(name))")
        #expect(throws: SQLiteError.self) {
            try connection.execute("CREATE INDEX two ON item (moody(name))")
        }
    }

    @Test func `a collation orders and compares text`() throws {
        try connection.register(collation: "backwards") { left, right in
            let (left, right) = (
                String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)
            )
            return left == right
                ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
        }
        try connection.execute(
            """
            CREATE TABLE item (name TEXT COLLATE backwards);
            INSERT INTO item VALUES ('b'), (''), ('c'), ('a'), ('é');
            """)
        let statement = try connection.statement("SELECT name FROM item ORDER BY name")
        var names: [String] = []
        while try statement.step() { names.append(statement.value(at: 0).string) }
        #expect(names == ["é", "c", "b", "a", ""])
        // Canonically equal, though other bytes.
        #expect(try value(of: "count(*) FROM item WHERE name = 'e\u{301}'", \.integer) == 1)
    }

    @Test func `what a function captured is released with the connection`() throws {
        final class Witness {}
        weak var released: Witness?
        do {
            let witness = Witness()
            released = witness
            let connection = try Connection(.memory)
            try connection.register(function: "f", argumentCount: 0, deterministic: true) { _ in
                .integer(withExtendedLifetime(witness) { 1 })
            }
            try connection.register(collation: "c") { _, _ in
                withExtendedLifetime(witness) { .orderedSame }
            }
            #expect(released != nil)
        }
        #expect(released == nil)
    }
}
