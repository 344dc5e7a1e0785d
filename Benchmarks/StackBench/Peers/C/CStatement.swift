import CSQLite
import Foundation

/// A prepared statement. It is not copyable and finalizes itself, so that its use costs no
/// reference counting.
///
/// As in SQLite, parameters count from 1 and columns from 0. Results of binding are not checked: it
/// fails only for a wrong index, which a wrong answer would show.
struct CStatement: ~Copyable {
    private let pointer: OpaquePointer
    /// Holds bound texts until the statement has run; otherwise SQLite would allocate a copy of
    /// each.
    private let texts: UnsafeMutableRawBufferPointer
    private var usedTextBytes = 0
    /// Added to the index of each parameter, for statements that insert several rows.
    var parameterOffset: Int32 = 0

    init(_ pointer: OpaquePointer, textBytes: Int) {
        self.pointer = pointer
        texts = .allocate(byteCount: textBytes, alignment: 1)
    }

    deinit {
        sqlite3_finalize(pointer)
        texts.deallocate()
    }

    // MARK: Running

    /// Moves to the next row; at the end, resets the statement and returns false.
    @inline(__always)
    mutating func step() throws -> Bool {
        if sqlite3_step(pointer) == SQLITE_ROW { return true }
        try reset()
        return false
    }

    /// Runs a statement without result rows.
    @inline(__always)
    mutating func run() throws {
        sqlite3_step(pointer)
        try reset()
    }

    /// Resets the statement.
    ///
    /// - Throws: The error of the last step, which a reset reports again.
    @inline(__always)
    mutating func reset() throws {
        usedTextBytes = 0
        guard sqlite3_reset(pointer) == SQLITE_OK else { throw error }
    }

    private var error: CSQLiteError {
        CSQLiteError(
            operation: String(cString: sqlite3_sql(pointer)),
            reason: String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer))))
    }

    // MARK: Parameters

    @inline(__always)
    func bind(_ value: Int64, _ index: Int32) {
        sqlite3_bind_int64(pointer, parameterOffset + index, value)
    }

    @inline(__always)
    func bind(_ value: Int, _ index: Int32) {
        sqlite3_bind_int64(pointer, parameterOffset + index, Int64(value))
    }

    @inline(__always)
    func bind(_ value: Double, _ index: Int32) {
        sqlite3_bind_double(pointer, parameterOffset + index, value)
    }

    @inline(__always)
    func bind(_ value: Date, _ index: Int32) {
        sqlite3_bind_double(pointer, parameterOffset + index, value.timeIntervalSinceReferenceDate)
    }

    @inline(__always)
    mutating func bind(_ value: String, _ index: Int32) {
        // Nearly all Swift strings are contiguous. Unlike withUTF8, this costs no reference count.
        if value.utf8.withContiguousStorageIfAvailable({ bind($0, index) }) == nil {
            var copy = value
            copy.withUTF8 { bind($0, index) }
        }
    }

    @inline(__always)
    private mutating func bind(_ text: UnsafeBufferPointer<UInt8>, _ index: Int32) {
        guard usedTextBytes + text.count <= texts.count else {
            text.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(
                    pointer, parameterOffset + index, $0.baseAddress, Int32($0.count), sqliteCopies)
            }
            return
        }
        // The bytes stay there until the reset after the run, so SQLite needs no copy.
        let start = texts.baseAddress! + usedTextBytes
        if let source = text.baseAddress { start.copyMemory(from: source, byteCount: text.count) }
        usedTextBytes += text.count
        sqlite3_bind_text(
            pointer, parameterOffset + index, start.assumingMemoryBound(to: CChar.self),
            Int32(text.count), nil)
    }

    func bind(_ value: Data, _ index: Int32) {
        _ = value.withUnsafeBytes {
            sqlite3_bind_blob(
                pointer, parameterOffset + index, $0.baseAddress, Int32($0.count), sqliteCopies)
        }
    }

    @inline(__always)
    func bindNull(_ index: Int32) {
        sqlite3_bind_null(pointer, parameterOffset + index)
    }

    @inline(__always)
    func bind(_ value: Int?, _ index: Int32) {
        if let value { bind(value, index) } else { bindNull(index) }
    }

    @inline(__always)
    func bind(_ value: Int64?, _ index: Int32) {
        if let value { bind(value, index) } else { bindNull(index) }
    }

    @inline(__always)
    func bind(_ value: Double?, _ index: Int32) {
        if let value { bind(value, index) } else { bindNull(index) }
    }

    @inline(__always)
    mutating func bind(_ value: String?, _ index: Int32) {
        if let value { bind(value, index) } else { bindNull(index) }
    }

    // MARK: Columns

    // For a row of ten columns, sqlite3_column_value with sqlite3_value_* takes about a seventh
    // less time than sqlite3_column_*, which checks for a failed allocation after each call.

    @inline(__always)
    private func value(_ column: Int32) -> OpaquePointer {
        // Never nil: SQLite returns a NULL value for a column out of range and between rows.
        sqlite3_column_value(pointer, column)!
    }

    @inline(__always)
    func integer(_ column: Int32) -> Int64 {
        sqlite3_value_int64(value(column))
    }

    @inline(__always)
    func optionalInteger(_ column: Int32) -> Int64? {
        let value = value(column)
        return sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_int64(value)
    }

    @inline(__always)
    func real(_ column: Int32) -> Double {
        sqlite3_value_double(value(column))
    }

    @inline(__always)
    func optionalReal(_ column: Int32) -> Double? {
        let value = value(column)
        return sqlite3_value_type(value) == SQLITE_NULL ? nil : sqlite3_value_double(value)
    }

    @inline(__always)
    func date(_ column: Int32) -> Date {
        Date(timeIntervalSinceReferenceDate: real(column))
    }

    @inline(__always)
    func text(_ column: Int32) -> String {
        optionalText(column) ?? ""
    }

    @inline(__always)
    func optionalText(_ column: Int32) -> String? {
        optionalUTF8(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of a text, valid until the next step; empty for NULL.
    @inline(__always)
    func utf8(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        optionalUTF8(column) ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    @inline(__always)
    func optionalUTF8(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        let value = value(column)
        guard let start = sqlite3_value_text(value) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }
}

/// `SQLITE_TRANSIENT`, a macro that Swift cannot import. SQLite only compares it and never calls
/// it.
private let sqliteCopies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
