#if PostgreSQL
import Foundation
import Testing

@testable import PostgreSQLStore

@Suite(.onServer) struct `Values on the wire` {
    let link: Link

    init() throws { link = try TestServer.link() }

    @Test func `integers come back as they were`() throws {
        for value in [Int64.min, -4_294_967_297, -1, 0, 1, 255, 65_536, .max] {
            #expect(try link.integer("SELECT $1", [.integer(value)]) == value)
        }
    }

    @Test func `reals come back as they were`() throws {
        let values = [
            0, -0.0, 1.5, -1e300, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
            -.infinity, 0.1,
        ]
        for value in values {
            let rows = try link.run(Command("SELECT $1", [.real(value)]))
            #expect(try rows.real(0, 0).bitPattern == value.bitPattern)
        }
    }

    @Test func `NaN becomes NULL, as in SQLite`() throws {
        var column = ParameterColumn(.real, capacity: 1)
        column.append(real: .nan)
        let rows = try link.run(
            Command(
                "SELECT $1::float8 IS NULL AND v IS NULL FROM unnest($2::float8[]) v",
                [.real(.nan), .column(column)]))
        #expect(try rows.integer(0, 0) == 1)
    }

    @Test func `texts come back as they were`() throws {
        let long = String(repeating: "x", count: 100_000)
        for text in ["", " ", "Ursula", "é", "e\u{301}", "👩‍👩‍👧", "'\"\\", "a\nb\u{1}", long] {
            let rows = try link.run(Command("SELECT $1", [.text(text)]))
            #expect(Array(try rows.text(0, 0).utf8) == Array(text.utf8))
        }
    }

    @Test func `bytes come back as they were`() throws {
        for bytes in [Data(), Data([0]), Data([0, 255, 0]), Data((0...255).map { UInt8($0) })] {
            let rows = try link.run(Command("SELECT $1", [.bytes(bytes)]))
            #expect(Data(rows.bytes(0, 0)) == bytes)
            #expect(!rows.isNull(0, 0))
        }
    }

    @Test func `NULL is not an empty value`() throws {
        let rows = try link.run(
            Command("SELECT $1::bigint, $2::text, ''::text", [.null, .null]))
        #expect(rows.isNull(0, 0) && rows.isNull(0, 1) && !rows.isNull(0, 2))
    }

    @Test func `a parameter may be NULL first and have a value later`() throws {
        let sql = "SELECT $1::bigint"
        #expect(try link.run(Command(sql, [.null])).isNull(0, 0))
        #expect(try link.integer(sql, [.integer(7)]) == 7)
        #expect(try link.run(Command(sql, [.null])).isNull(0, 0))
        #expect(try link.integer(sql, [.integer(8)]) == 8)
    }

    @Test func `columns become rows`() throws {
        var integers = ParameterColumn(.integer, capacity: 3)
        var reals = ParameterColumn(.real, capacity: 3)
        var texts = ParameterColumn(.text, capacity: 3)
        var blobs = ParameterColumn(.bytes, capacity: 3)
        integers.append(integer: .min)
        integers.appendNull()
        integers.append(integer: 3)
        reals.appendNull()
        reals.append(real: 2.5)
        reals.append(real: -0.0)
        texts.append(text: "")
        texts.append(text: "zwölf")
        texts.appendNull()
        Data([0, 1]).withUnsafeBytes { blobs.append(bytes: $0) }
        blobs.appendNull()
        Data().withUnsafeBytes { blobs.append(bytes: $0) }

        let rows = try link.run(
            Command(
                "SELECT * FROM unnest($1::bigint[], $2::float8[], $3::text[], $4::bytea[])",
                [.column(integers), .column(reals), .column(texts), .column(blobs)]))

        #expect(rows.count == 3 && rows.columnCount == 4)
        try rows.requireTypes([
            WireType.integer, WireType.real, WireType.text, WireType.bytes,
        ])
        #expect(try rows.integer(0, 0) == .min && rows.isNull(1, 0) && rows.integer(2, 0) == 3)
        #expect(try rows.isNull(0, 1) && rows.real(1, 1) == 2.5 && rows.real(2, 1).sign == .minus)
        #expect(try rows.text(0, 2).isEmpty && rows.text(1, 2) == "zwölf" && rows.isNull(2, 2))
        #expect(Data(rows.bytes(0, 3)) == Data([0, 1]))
        #expect(rows.isNull(1, 3) && !rows.isNull(2, 3) && rows.bytes(2, 3).isEmpty)
    }

    @Test func `a column without values is an empty array`() throws {
        let empty = ParameterColumn(.text, capacity: 0)
        #expect(
            try link.integer("SELECT cardinality($1::text[])", [.column(empty)]) == 0)
        #expect(try link.integer("SELECT cardinality($1)", [.integers([])]) == 0)
    }

    @Test func `a copy of a column does not change with the original`() throws {
        var column = ParameterColumn(.integer, capacity: 1)
        column.append(integer: 1)
        let copy = column
        column.append(integer: 2)
        let sql = "SELECT cardinality($1)"
        #expect(try link.integer(sql, [.column(copy)]) == 1)
        #expect(try link.integer(sql, [.column(column)]) == 2)
    }

    @Test func `a list of integers finds rows in one statement`() throws {
        let rows = try link.run(
            Command(
                "SELECT v FROM generate_series(1::bigint, 100000) v WHERE v = ANY($1)",
                [.integers((1...1000).map { $0 * 7 })]))
        #expect(rows.count == 1000)
        #expect(try rows.integer(999, 0) == 7000)
    }

    @Test func `a value of another type is not read`() throws {
        let rows = try link.run(Command("SELECT 'eight ch'::text, NULL::bigint, 1.5::float8"))
        let reads: [() throws -> Void] = [
            { _ = try rows.integer(0, 0) }, { _ = try rows.integer(0, 1) },
            { _ = try rows.integer(0, 2) }, { _ = try rows.real(0, 0) },
            { _ = try rows.text(0, 2) }, { _ = try rows.integer(1, 0) },
            { _ = try rows.integer(0, 3) }, { _ = try rows.integer(-1, 0) },
            { try rows.requireTypes([WireType.integer]) },
        ]
        for read in reads {
            #expect(try postgreSQLError(read).kind == .unexpectedValue)
        }
    }

    @Test func `smaller integers and booleans are read as integers`() throws {
        let rows = try link.run(Command("SELECT -3::smallint, -70000::int, true, count(*)"))
        #expect(try (0..<4).map { try rows.integer(0, $0) } == [-3, -70000, 1, 1])
    }

    @Test func `U+0000 in a text is an error`() throws {
        var column = ParameterColumn(.text, capacity: 1)
        column.append(text: "a\0b")
        for command in [
            Command("SELECT $1", [.text("a\0b")]), Command("SELECT $1", [.column(column)]),
            Command("SELECT 'a\0b'"),
        ] {
            let error = try postgreSQLError { _ = try link.run(command) }
            #expect(error.kind == .invalidText)
            #expect(error.description.contains("U+0000"))
        }
        #expect(try link.integer("SELECT 1") == 1)
    }

    @Test func `a text that is not UTF-8 is an error`() throws {
        var column = ParameterColumn(.text, capacity: 1)
        Data([0xff, 0x41]).withUnsafeBytes { column.append(bytes: $0) }
        let error = try postgreSQLError {
            _ = try link.run(Command("SELECT $1", [.column(column)]))
        }
        #expect(error.kind == .invalidText)
    }
}
#endif
