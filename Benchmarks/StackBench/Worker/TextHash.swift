import CSQLite

/// A hash of the bytes of a text, for sums that tell texts of one length apart: FNV-1a of 32 bits,
/// and 0 for NULL. A sum of a million of them with a ``RowWeight`` each stays below 2⁶³.
///
/// Source: RFC 9923.
enum TextHash {
    /// The function that computes it in statements of a ``StoreReader``.
    static let sqlName = "text_hash"

    static func value(of text: String?) -> Int64 {
        guard var text else { return 0 }
        return text.withUTF8 { value(of: $0) }
    }

    private static func value(of bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int64(hash)
    }

    /// Makes ``sqlName`` known to a connection.
    ///
    /// - Returns: the result code of SQLite.
    static func register(on connection: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            connection, sqlName, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, arguments in
                guard let text = sqlite3_value_text(arguments![0]) else {
                    return sqlite3_result_int64(context, 0)
                }
                let count = Int(sqlite3_value_bytes(arguments![0]))
                sqlite3_result_int64(
                    context,
                    TextHash.value(of: UnsafeBufferPointer(start: text, count: count)))
            }, nil, nil, nil)
    }
}

/// The weight of a row's values in the sums of columns, 1…997. If two rows exchange values, the sums
/// change, unless both have the same weight.
enum RowWeight {
    static func value(of key: Int64) -> Int64 { abs(key) % 997 + 1 }

    /// - Parameter key: An expression of an integer.
    static func sql(of key: String) -> String { "(ABS(\(key)) % 997 + 1)" }
}
