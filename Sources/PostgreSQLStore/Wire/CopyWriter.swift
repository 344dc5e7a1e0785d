#if PostgreSQL
import CPostgreSQL

/// Writes rows in the binary form of `COPY`: begin a row, then append a value for each column.
///
/// Rows are sent in parts of 64 KiB while they are written.
struct CopyWriter {
    private static let partByteCount = 64 * 1024
    /// The server's limit for a row.
    private static let maximumRowByteCount = 0x3fff_0000

    private let handle: LinkHandle
    private let columnCount: Int
    private let buffer = WireBuffer(capacity: Self.partByteCount * 2)
    private(set) var rowCount = 0
    private(set) var byteCount = 0
    /// Where the current row begins in the buffer.
    private var rowStart = 0
    /// How many values of the current row are missing.
    private var missingValueCount = 0

    init(to handle: LinkHandle, columnCount: Int) {
        self.handle = handle
        self.columnCount = columnCount
        // The signature, flags and the length of an extension that does not exist.
        for byte in Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0] {
            buffer.extend(by: 1).storeNetwork(byte)
        }
        buffer.extend(by: 8).storeNetwork(Int64(0))
        rowStart = buffer.count
    }

    /// - Throws: `tooLarge` if the row before is too large; `unexpectedValue` if it has another
    ///   number of values than the table has columns; `connectionLost`.
    @inline(__always)
    mutating func beginRow() throws(PostgreSQLError) {
        if missingValueCount != 0 || buffer.count >= Self.partByteCount { try endPart() }
        rowStart = buffer.count
        rowCount += 1
        missingValueCount = columnCount
        buffer.extend(by: 2).storeNetwork(Int16(truncatingIfNeeded: columnCount))
    }

    @inline(__always)
    mutating func append(integer: Int64) {
        missingValueCount -= 1
        buffer.appendField(integer: integer)
    }

    /// NaN becomes NULL, as in SQLite.
    @inline(__always)
    mutating func append(real: Double) {
        missingValueCount -= 1
        buffer.appendField(real: real)
    }

    /// Appends a text in UTF-8, or a blob.
    @inline(__always)
    mutating func append(bytes: UnsafeRawBufferPointer) {
        missingValueCount -= 1
        buffer.appendField(bytes: bytes)
    }

    mutating func append(text: String) {
        missingValueCount -= 1
        buffer.appendField(text: text)
    }

    @inline(__always)
    mutating func appendNull() {
        missingValueCount -= 1
        buffer.appendNullField()
    }

    /// Sends the last rows and the end mark.
    mutating func finish() throws(PostgreSQLError) {
        if missingValueCount != 0 { try endPart() }
        buffer.extend(by: 2).storeNetwork(Int16(-1))
        try endPart()
    }

    private mutating func endPart() throws(PostgreSQLError) {
        guard missingValueCount == 0 else {
            throw PostgreSQLError(
                .unexpectedValue,
                "row \(rowCount) has \(columnCount - missingValueCount) values for \(columnCount) columns"
            )
        }
        guard buffer.count - rowStart < Self.maximumRowByteCount else {
            throw PostgreSQLError(
                .tooLarge, "row \(rowCount) takes \(buffer.count - rowStart) bytes")
        }
        byteCount += buffer.count
        // An early failure of the server shows at the end of the copy.
        guard
            PQputCopyData(
                handle.connection, buffer.base.assumingMemoryBound(to: CChar.self),
                Int32(buffer.count)) == 1
        else { throw handle.error(nil, sql: nil) }
        buffer.removeAll()
    }
}
#endif
