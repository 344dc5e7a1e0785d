#if PostgreSQL
import CPostgreSQL

/// The rows of a command, in binary form.
final class Rows: @unchecked Sendable {
    // @unchecked Sendable: libpq does not change a result after it has returned it, and this object
    // owns it.
    let result: OpaquePointer
    private let sql: String

    let count: Int
    let columnCount: Int

    /// Takes the result over.
    init(_ result: OpaquePointer, sql: String) {
        self.result = result
        self.sql = sql
        count = Int(PQntuples(result))
        columnCount = Int(PQnfields(result))
    }

    deinit { PQclear(result) }

    /// The rows that an INSERT, UPDATE or DELETE changed, or that a query returned.
    var affectedCount: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// The memory of the result.
    var byteCount: Int { PQresultMemorySize(result) }

    /// A value in network byte order; nil for NULL. Valid while the rows live.
    ///
    /// For loops over many rows: check the types of the columns before (`requireTypes`).
    @inline(__always)
    func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        let length = PQgetlength(result, row, column)
        if length == 0, PQgetisnull(result, row, column) == 1 { return nil }
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(length))
    }

    func isNull(_ row: Int, _ column: Int) -> Bool { value(row, column) == nil }

    /// The bytes of a text or blob; empty for NULL. Valid while the rows live.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        value(row, column) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// - Throws: `unexpectedValue` for NULL and for other types than integers and booleans.
    func integer(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Int64 {
        let bytes = try requireValue(row, column, of: [20, 23, 21, 16], "an integer")
        return switch bytes.count {
        case 8: bytes.networkInteger
        case 4: Int64(bytes.baseAddress!.loadNetwork(Int32.self))
        case 2: Int64(bytes.baseAddress!.loadNetwork(Int16.self))
        default: Int64(bytes.first ?? 0)
        }
    }

    /// - Throws: `unexpectedValue` for NULL and for other types than `double precision`.
    func real(_ row: Int, _ column: Int) throws(PostgreSQLError) -> Double {
        try requireValue(row, column, of: [701], "a real").networkReal
    }

    /// - Throws: `unexpectedValue` for NULL and for other types than texts.
    func text(_ row: Int, _ column: Int) throws(PostgreSQLError) -> String {
        String(
            decoding: try requireValue(row, column, of: [25, 1043, 1042, 19], "a text"),
            as: UTF8.self)
    }

    /// The OID of a column's type.
    func type(_ column: Int) -> Oid { PQftype(result, Int32(truncatingIfNeeded: column)) }

    /// Checks that the first columns have these types, so that `value` can be read without checks.
    ///
    /// - Throws: `unexpectedValue`.
    func requireTypes(_ types: [Oid]) throws(PostgreSQLError) {
        for (column, type) in types.enumerated() where self.type(column) != type {
            throw PostgreSQLError(
                .unexpectedValue,
                "column \(column + 1) has the type \(self.type(column)) where \(type) is expected",
                sql: sql)
        }
    }

    private func requireValue(
        _ row: Int, _ column: Int, of types: [Oid], _ expectation: String
    ) throws(PostgreSQLError) -> UnsafeRawBufferPointer {
        guard row >= 0, row < count, column >= 0, column < columnCount else {
            throw PostgreSQLError(
                .unexpectedValue, "the result has no row \(row) with a column \(column + 1)",
                sql: sql)
        }
        guard types.contains(type(column)), let value = value(row, column) else {
            throw PostgreSQLError(
                .unexpectedValue,
                "column \(column + 1) is NULL or has the type \(type(column)), where \(expectation) is expected",
                sql: sql)
        }
        return value
    }
}

extension UnsafeRawBufferPointer {
    /// The bigint in these 8 bytes.
    @inline(__always)
    var networkInteger: Int64 { baseAddress.unsafelyUnwrapped.loadNetwork(Int64.self) }

    /// The double precision in these 8 bytes.
    @inline(__always)
    var networkReal: Double { Double(bitPattern: UInt64(bitPattern: networkInteger)) }
}
#endif
