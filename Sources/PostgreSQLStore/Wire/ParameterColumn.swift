#if PostgreSQL
import CPostgreSQL

/// One array parameter, in PostgreSQL's binary form: the values of a column, row by row.
///
/// `SELECT * FROM unnest($1::bigint[], $2::text[])` makes rows of several columns.
struct ParameterColumn: @unchecked Sendable {
    // @unchecked Sendable: a column changes its buffer only while it has the one reference to it.

    enum Kind: Sendable {
        case integer, real, text, bytes
    }

    let kind: Kind
    /// How many values were appended.
    private(set) var count = 0
    private var buffer: WireBuffer

    /// Dimensions, whether there are NULLs, type of the elements; count and lower bound of the one
    /// dimension (`array_recv` in PostgreSQL's source).
    private static let headerByteCount = 20

    /// - Parameter capacity: The expected number of values.
    init(_ kind: Kind, capacity: Int) {
        self.kind = kind
        buffer = WireBuffer(capacity: Self.headerByteCount + capacity * kind.expectedByteCount)
        let header = buffer.extend(by: Self.headerByteCount)
        header.storeNetwork(Int32(0))
        (header + 4).storeNetwork(Int32(0))
        (header + 8).storeNetwork(kind.elementType)
        (header + 12).storeNetwork(Int32(0))
        (header + 16).storeNetwork(Int32(1))
    }

    /// For a column of integers.
    @inline(__always)
    mutating func append(integer: Int64) {
        prepareToAppend()
        buffer.appendField(integer: integer)
    }

    /// For a column of reals. NaN becomes NULL, as in SQLite.
    @inline(__always)
    mutating func append(real: Double) {
        guard !real.isNaN else { return appendNull() }
        prepareToAppend()
        buffer.appendField(real: real)
    }

    /// For a column of texts, in UTF-8, or of blobs.
    @inline(__always)
    mutating func append(bytes: UnsafeRawBufferPointer) {
        prepareToAppend()
        buffer.appendField(bytes: bytes)
    }

    mutating func append(text: String) {
        prepareToAppend()
        buffer.appendField(text: text)
    }

    mutating func appendNull() {
        prepareToAppend()
        buffer.appendNullField()
        (buffer.base + 4).storeNetwork(Int32(1))
    }

    /// Valid while the column lives and does not change.
    var bytes: UnsafeRawBufferPointer {
        // An array without elements has no dimension.
        count > 0 ? buffer.bytes : UnsafeRawBufferPointer(rebasing: buffer.bytes[..<12])
    }

    @inline(__always)
    private mutating func prepareToAppend() {
        if !isKnownUniquelyReferenced(&buffer) { buffer = WireBuffer(copying: buffer) }
        count += 1
        buffer.base.storeNetwork(Int32(1))
        (buffer.base + 12).storeNetwork(Int32(truncatingIfNeeded: count))
    }
}

extension ParameterColumn.Kind {
    /// The OID of the array (`pg_type.dat` in PostgreSQL's source).
    var arrayType: Oid {
        switch self {
        case .integer: 1016
        case .real: 1022
        case .text: 1009
        case .bytes: 1001
        }
    }

    fileprivate var elementType: Oid {
        switch self {
        case .integer: WireType.integer
        case .real: WireType.real
        case .text: WireType.text
        case .bytes: WireType.bytes
        }
    }

    fileprivate var expectedByteCount: Int {
        switch self {
        case .integer, .real: 12
        case .text, .bytes: 32
        }
    }
}

/// The OIDs of the types of columns.
enum WireType {
    static let integer: Oid = 20
    static let real: Oid = 701
    static let text: Oid = 25
    static let bytes: Oid = 17
}
#endif
