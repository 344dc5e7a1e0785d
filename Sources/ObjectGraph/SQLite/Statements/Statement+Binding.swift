import CSQLite
import Foundation

// Parameters are counted from 1, as in SQLite. The next run throws a failure to bind (an index out
// of range, a value above SQLite's limit of a gigabyte), so binding itself does not throw.
extension Statement {
    @inline(__always)
    func bindNull(at index: Int32) {
        noteBinding(sqlite3_bind_null(pointer, index))
    }

    @inline(__always)
    func bind(_ value: Int64, at index: Int32) {
        noteBinding(sqlite3_bind_int64(pointer, index, value))
    }

    /// NaN becomes NULL: SQLite cannot store it.
    @inline(__always)
    func bind(_ value: Double, at index: Int32) {
        noteBinding(sqlite3_bind_double(pointer, index, value))
    }

    /// Copies the text.
    @inline(__always)
    func bind(_ text: String, at index: Int32) {
        var text = text
        text.withUTF8 { bind(text: UnsafeRawBufferPointer($0), at: index, sqliteTransient) }
    }

    /// Borrows UTF-8 bytes. They must stay in place until the statement is reset, and must be bound
    /// again before it runs again.
    @inline(__always)
    func bind(text: UnsafeRawBufferPointer, at index: Int32) {
        bind(text: text, at: index, nil)
    }

    /// Borrows bytes as `bind(text:at:)` does. An empty buffer binds an empty blob, not NULL.
    @inline(__always)
    func bind(blob: UnsafeRawBufferPointer, at index: Int32) {
        bind(blob: blob, at: index, nil)
    }

    /// Copies the bytes.
    func bind(blob: Data, at index: Int32) {
        blob.withUnsafeBytes { bind(blob: $0, at: index, sqliteTransient) }
    }

    /// Copies the bytes.
    func bind(blob: [UInt8], at index: Int32) {
        blob.withUnsafeBytes { bind(blob: $0, at: index, sqliteTransient) }
    }

    @inline(__always)
    private func bind(
        text: UnsafeRawBufferPointer, at index: Int32, _ lifetime: sqlite3_destructor_type?
    ) {
        guard let start = text.baseAddress else {
            // A null pointer would bind NULL.
            noteBinding(sqlite3_bind_text(pointer, index, "", 0, sqliteTransient))
            return
        }
        noteBinding(
            sqlite3_bind_text64(
                pointer, index, start.assumingMemoryBound(to: CChar.self), UInt64(text.count),
                lifetime, UInt8(SQLITE_UTF8)))
    }

    @inline(__always)
    private func bind(
        blob: UnsafeRawBufferPointer, at index: Int32, _ lifetime: sqlite3_destructor_type?
    ) {
        guard let start = blob.baseAddress, !blob.isEmpty else {
            noteBinding(sqlite3_bind_zeroblob(pointer, index, 0))
            return
        }
        noteBinding(
            sqlite3_bind_blob64(pointer, index, start, UInt64(blob.count), lifetime))
    }
}

/// `SQLITE_TRANSIENT`, a macro that Swift cannot import. SQLite compares it and never calls it.
@inline(__always)
var sqliteTransient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
