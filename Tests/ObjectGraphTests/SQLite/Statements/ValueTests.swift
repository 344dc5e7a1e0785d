import Foundation
import Testing

@testable import ObjectGraph

@Suite struct `Binding and reading values` {
    let connection: Connection
    let echo: Statement

    init() throws {
        connection = try Connection(.memory)
        // Through a table, so that values are stored and not just passed on.
        try connection.execute("CREATE TABLE echo (value)")
        echo = try connection.statement("INSERT INTO echo VALUES (?) RETURNING value")
    }

    func roundTrip<T>(
        _ bind: (Statement) -> Void, _ read: (SQLiteValueReference) -> T
    ) throws -> T {
        bind(echo)
        #expect(try echo.step())
        defer { echo.reset() }
        return read(echo.value(at: 0))
    }

    @Test(arguments: [0, 1, -1, 127, 1 << 31, 1 << 53, .max, .min])
    func `integers`(_ value: Int64) throws {
        let (type, read) = try roundTrip({ $0.bind(value, at: 1) }, { ($0.type, $0.integer) })
        #expect(type == .integer)
        #expect(read == value)
    }

    @Test(arguments: [
        0, -1.5, .pi, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity,
    ])
    func `reals`(_ value: Double) throws {
        let (type, read) = try roundTrip({ $0.bind(value, at: 1) }, { ($0.type, $0.real) })
        #expect(type == .real)
        #expect(read == value)
    }

    @Test func `not-a-number becomes NULL`() throws {
        #expect(try roundTrip({ $0.bind(.nan, at: 1) }, { $0.isNull }))
    }

    @Test func `NULL`() throws {
        let type = try roundTrip({ $0.bindNull(at: 1) }) { value in
            #expect(value.isNull)
            #expect(value.integer == 0)
            #expect(value.real == 0)
            #expect(value.text.isEmpty)
            #expect(value.blob.isEmpty)
            return value.type
        }
        #expect(type == .null)
    }

    @Test(arguments: [
        "", "a", "␀", "a␀b␀", "Grüße", "日本語", "👩‍👩‍👧‍👦", "e\u{301}", "\u{FEFF}bom", "'\";--",
        String(repeating: "ß", count: 100_000),
    ])
    func `text, copied and borrowed`(_ shown: String) throws {
        let text = shown.replacing("␀", with: "\0")
        let copied = try roundTrip({ $0.bind(text, at: 1) }) {
            #expect($0.type == .text)
            return Array($0.text)
        }
        #expect(copied == Array(text.utf8))
        let borrowed = try Array(text.utf8).withUnsafeBytes { bytes in
            try roundTrip({ $0.bind(text: bytes, at: 1) }) {
                #expect($0.type == .text)
                return $0.string
            }
        }
        #expect(borrowed.utf8.elementsEqual(text.utf8))
    }

    @Test(arguments: [[], [0], [0, 1, 0], Array(0...255), Array(repeating: 7, count: 1 << 20)])
    func `blobs, copied and borrowed`(_ bytes: [UInt8]) throws {
        func read(_ value: SQLiteValueReference) -> [UInt8] {
            #expect(value.type == .blob)
            return Array(value.blob)
        }
        #expect(try roundTrip({ $0.bind(blob: bytes, at: 1) }, read) == bytes)
        #expect(try roundTrip({ $0.bind(blob: Data(bytes), at: 1) }, read) == bytes)
        let borrowed = try bytes.withUnsafeBytes { buffer in
            try roundTrip({ $0.bind(blob: buffer, at: 1) }, read)
        }
        #expect(borrowed == bytes)
    }

    @Test func `empty buffers without an address are empty, not NULL`() throws {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(try roundTrip({ $0.bind(text: nothing, at: 1) }, { $0.type }) == .text)
        #expect(try roundTrip({ $0.bind(blob: nothing, at: 1) }, { $0.type }) == .blob)
    }

    @Test func `text that is not UTF-8 is repaired`() throws {
        let text = try [UInt8]([0x61, 0xFF, 0x62]).withUnsafeBytes { bytes in
            try roundTrip({ $0.bind(text: bytes, at: 1) }, { $0.string })
        }
        #expect(text == "a\u{FFFD}b")
    }

    @Test func `numbers read as text`() throws {
        #expect(try roundTrip({ $0.bind(Int64(12), at: 1) }, { $0.string }) == "12")
        #expect(try roundTrip({ $0.bind("12.5", at: 1) }, { $0.real }) == 12.5)
    }

    @Test func `an index out of range fails the next run, once`() throws {
        echo.bind(Int64(1), at: 2)
        let error = try #require(#expect(throws: SQLiteError.self) { try echo.run() })
        #expect(error.code == 25)
        #expect(error.message.contains("cannot bind"))
        echo.bind(Int64(1), at: 1)
        try echo.run()
    }

    @Test func `an argument above SQLite's limit fails the next run`() throws {
        // The address is not read: SQLite looks at the length first.
        let huge = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 8), count: 2 << 30)
        echo.bind(blob: huge, at: 1)
        let error = try #require(#expect(throws: SQLiteError.self) { try echo.run() })
        #expect(error.code == 18)
    }
}
