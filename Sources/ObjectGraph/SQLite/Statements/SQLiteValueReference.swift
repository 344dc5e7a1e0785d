import CSQLite

enum SQLiteValueType: Int32, Sendable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5
}

extension SQLFunctionArguments {
    /// The position must be less than `count`.
    @inline(__always)
    func value(at column: Int32) -> SQLiteValueReference {
        SQLiteValueReference(
            pointer: values.unsafelyUnwrapped[Int(column)].unsafelyUnwrapped)
    }
}

/// A borrowed value, and so are the buffers that it returns. A column of the current row is valid
/// until the next step or reset; an argument of an SQL function is valid during the call.
///
/// Columns are read through `sqlite3_column_value`. `sqlite3_column_int64` and the like would check
/// the row and the column again for each access to the same value.
struct SQLiteValueReference {
    // Right to use unprotected: the connection has no mutex and one user at a time.
    let pointer: OpaquePointer

    @inline(__always)
    var type: SQLiteValueType { SQLiteValueType(rawValue: sqlite3_value_type(pointer))! }

    @inline(__always)
    var isNull: Bool { sqlite3_value_type(pointer) == SQLITE_NULL }

    /// Converted by SQLite's rules if of another type; 0 for NULL.
    @inline(__always)
    var integer: Int64 { sqlite3_value_int64(pointer) }

    /// Converted by SQLite's rules if of another type; 0 for NULL.
    @inline(__always)
    var real: Double { sqlite3_value_double(pointer) }

    /// UTF-8 bytes without a final NUL; empty for NULL. Numbers become text.
    @inline(__always)
    var text: UnsafeRawBufferPointer {
        // The conversion must come first: it determines the length.
        let start = sqlite3_value_text(pointer)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
    }

    /// Empty both for NULL and for an empty blob; `type` tells them apart.
    @inline(__always)
    var blob: UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(pointer)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
    }

    /// `text` copied; bytes that are not UTF-8 become U+FFFD.
    var string: String { String(decoding: text, as: UTF8.self) }
}
