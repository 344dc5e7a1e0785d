#if PostgreSQL
import Foundation
import Testing

@testable import PostgreSQLStore

@Suite(.onServer) struct `Copying rows` {
    let schema: TestSchema
    let link: Link

    init() throws {
        schema = TestSchema()
        link = try schema.link("CREATE TABLE t (i bigint PRIMARY KEY, r float8, x text, b bytea)")
        _ = link.takeStatistics()
    }

    @Test func `values arrive as they were, in two round trips`() throws {
        let count = try link.copy(into: "t", ["i", "r", "x", "b"]) { writer in
            for number in 0..<50_000 {
                try writer.beginRow()
                writer.append(integer: Int64(number))
                writer.append(real: Double(number) / 2)
                writer.append(text: "text \(number)")
                writer.appendNull()
            }
            try writer.beginRow()
            writer.append(integer: -1)
            writer.append(real: .nan)
            writer.append(text: "")
            Data([0, 1, 2]).withUnsafeBytes { writer.append(bytes: $0) }
        }
        #expect(count == 50_001)
        #expect(link.statistics.roundTripCount == 2)
        let sums = try link.run(Command("SELECT count(*), sum(r), max(length(x))::bigint FROM t"))
        #expect(try sums.integer(0, 0) == 50_001 && sums.integer(0, 2) == 10)
        #expect(try sums.real(0, 1) == 50_000.0 * 49_999 / 4)
        let last = try link.run(Command("SELECT r, x, b FROM t WHERE i = -1"))
        #expect(last.isNull(0, 0) && !last.isNull(0, 1))
        #expect(Data(last.bytes(0, 2)) == Data([0, 1, 2]))
    }

    @Test func `no row is inserted if the writer throws`() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try link.copy(into: "t", ["i"]) { writer in
                for number in 0..<100_000 {
                    try writer.beginRow()
                    writer.append(integer: Int64(number))
                }
                throw Stop()
            }
        }
        #expect(try link.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `an error of the server is thrown, and the link stays usable`() throws {
        let error = try postgreSQLError {
            try link.copy(into: "t", ["i"]) { writer in
                for number in 0..<100_000 {
                    try writer.beginRow()
                    writer.append(integer: Int64(number % 50_000))
                }
            }
        }
        #expect(error.kind == .uniqueViolation)
        #expect(error.constraint == "t_pkey")
        #expect(try link.integer("SELECT count(*) FROM t") == 0)
        #expect(
            try postgreSQLError { try link.copy(into: "missing", ["i"]) { _ in } }.kind
                == .missingObject)
        #expect(try link.integer("SELECT 1") == 1)
    }

    @Test func `a row with too few or too many values is an error`() throws {
        for valueCount in [1, 3] {
            for isLast in [false, true] {
                let error = try postgreSQLError {
                    try link.copy(into: "t", ["i", "r"]) { writer in
                        try writer.beginRow()
                        for number in 0..<valueCount { writer.append(integer: Int64(number)) }
                        if !isLast { try writer.beginRow() }
                    }
                }
                #expect(error.kind == .unexpectedValue)
            }
        }
        #expect(try link.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `U+0000 in a text is an error`() throws {
        let error = try postgreSQLError {
            try link.copy(into: "t", ["i", "x"]) { writer in
                try writer.beginRow()
                writer.append(integer: 1)
                writer.append(text: "a\0b")
            }
        }
        #expect(error.kind == .invalidText)
    }

    @Test func `within a transaction it is rolled back with it`() throws {
        _ = try link.run(Command("BEGIN"))
        try link.copy(into: "t", ["i"]) { writer in
            try writer.beginRow()
            writer.append(integer: 1)
        }
        #expect(link.isInTransaction)
        _ = try link.run(Command("ROLLBACK"))
        #expect(try link.integer("SELECT count(*) FROM t") == 0)
    }
}
#endif
