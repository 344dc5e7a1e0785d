/// The result of a statement of a server, in memory and in binary form: integers and reals have 8
/// bytes, the highest first, and texts are UTF-8.
///
/// The engine knows a client library by the functions that it is given here. So it reads all rows of
/// a result in one call from the other module.
package struct WireResult {
    /// A question about the value in a row and a column.
    package typealias Question = @convention(c) @Sendable (OpaquePointer?, Int32, Int32) -> Int32

    /// The address of the value in a row and a column.
    package typealias Bytes =
        @convention(c) @Sendable (OpaquePointer?, Int32, Int32) -> UnsafeMutablePointer<CChar>?

    /// The functions of the client library.
    package struct Access: Sendable {
        let byteCount: Question
        let isNull: Question
        let bytes: Bytes

        package init(byteCount: Question, isNull: Question, bytes: Bytes) {
            self.byteCount = byteCount
            self.isNull = isNull
            self.bytes = bytes
        }
    }

    // Borrowed: the caller keeps the result until the call with it has returned.
    fileprivate let result: OpaquePointer
    fileprivate let access: Access
    let rowCount: Int

    /// The kinds of the columns' values.
    let kinds: [SlotKind]

    /// - Parameters:
    ///   - result: The result in the memory of the client library.
    ///   - rowCount: The number of rows.
    ///   - kinds: The kinds of the columns' values.
    ///   - access: The functions that take the result.
    package init(_ result: OpaquePointer, rowCount: Int, kinds: [SlotKind], access: Access) {
        self.result = result
        self.rowCount = rowCount
        self.kinds = kinds
        self.access = access
    }

    @inline(__always)
    func row(_ index: Int) -> WireRow {
        WireRow(result: result, access: access, index: Int32(truncatingIfNeeded: index))
    }

    /// A row whose numbers are converted to what they are asked for, for computed columns.
    func computedRow(_ index: Int) -> ComputedWireRow {
        ComputedWireRow(row: row(index), kinds: kinds)
    }
}

/// A row of a `WireResult` whose columns have the kinds of the slots that are read from them.
struct WireRow: StoredRow {
    fileprivate let result: OpaquePointer
    fileprivate let access: WireResult.Access
    fileprivate let index: Int32

    static var isStrict: Bool { true }

    @inline(__always)
    func value(at column: Int32) -> WireValue {
        let count = access.byteCount(result, index, column)
        if count == 0, access.isNull(result, index, column) != 0 {
            return WireValue(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return WireValue(
            bytes: UnsafeRawBufferPointer(
                start: access.bytes(result, index, column), count: Int(count)))
    }

    func isInteger(at column: Int32) -> Bool { true }
}

/// A borrowed value of a `WireResult`. Its bytes have no address for NULL.
struct WireValue: StoredValue {
    fileprivate let bytes: UnsafeRawBufferPointer

    @inline(__always)
    var isNull: Bool { bytes.baseAddress == nil }

    @inline(__always)
    var integer: Int64 { Int64(bitPattern: word) }

    @inline(__always)
    var real: Double { Double(bitPattern: word) }

    /// 0 if there are not 8 bytes.
    @inline(__always)
    private var word: UInt64 {
        bytes.count == 8 ? UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) : 0
    }

    @inline(__always)
    var text: UnsafeRawBufferPointer { bytes }

    @inline(__always)
    var blob: UnsafeRawBufferPointer { bytes }

    @inline(__always)
    func isDamaged(as kind: SlotKind) -> Bool {
        switch kind {
        case .integer, .real: bytes.count != 8
        case .text, .blob: false
        }
    }
}

/// A row of a `WireResult` whose columns may be integers where reals are asked for, or the reverse.
struct ComputedWireRow: StoredRow {
    fileprivate let row: WireRow
    fileprivate let kinds: [SlotKind]

    static var isStrict: Bool { true }

    func value(at column: Int32) -> Value {
        Value(value: row.value(at: column), kind: kinds[Int(column)])
    }

    func isInteger(at column: Int32) -> Bool { kinds[Int(column)] == .integer }

    struct Value: StoredValue {
        fileprivate let value: WireValue
        fileprivate let kind: SlotKind

        var isNull: Bool { value.isNull }
        var text: UnsafeRawBufferPointer { value.text }
        var blob: UnsafeRawBufferPointer { value.blob }

        /// A real is truncated, as in SQLite.
        var integer: Int64 {
            kind == .integer ? value.integer : Int64(exactly: value.real.rounded(.towardZero)) ?? 0
        }

        var real: Double { kind == .integer ? Double(value.integer) : value.real }

        func isDamaged(as wanted: SlotKind) -> Bool {
            switch (kind, wanted) {
            case (.integer, .integer), (.integer, .real), (.real, .real):
                value.isDamaged(as: kind)
            case (.real, .integer):
                value.isDamaged(as: kind)
                    || Int64(exactly: value.real.rounded(.towardZero)) == nil
            default: kind != wanted
            }
        }
    }
}
