#if PostgreSQL
import CPostgreSQL

/// Values in network byte order, one after the other, each after its length: the form of a row in
/// `COPY`, and of the elements of an array.
struct FieldBuffer {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1 << 17) }

    var byteCount: Int { bytes.count }

    /// Forgets all values.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Begins a parameter that is an array of so many elements, which may be null.
    mutating func beginArray(of elementType: Oid, count: Int) {
        begin()
        // Dimensions, nulls, type, length, first index.
        for number in [1, 1, UInt32(elementType), UInt32(count), 1] {
            withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
        }
    }

    mutating func appendCopyHeader() {
        bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)
    }

    /// Begins a row of `COPY`, or ends the stream if negative.
    @inline(__always)
    mutating func append(fieldCount: Int) {
        withUnsafeBytes(of: Int16(fieldCount).bigEndian) { bytes += $0 }
    }

    @inline(__always)
    mutating func append(_ value: Int64?) {
        guard let value else { return append(raw: nil) }
        withUnsafeBytes(of: value.bigEndian) { append(raw: $0) }
    }

    @inline(__always)
    mutating func append(_ value: Double) {
        withUnsafeBytes(of: value.bitPattern.bigEndian) { append(raw: $0) }
    }

    @inline(__always)
    mutating func append(_ text: String?) {
        guard var text else { return append(raw: nil) }
        text.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    private mutating func append(raw: UnsafeRawBufferPointer?) {
        let count = raw.map { Int32($0.count) } ?? -1
        withUnsafeBytes(of: count.bigEndian) { bytes += $0 }
        if let raw { bytes += raw }
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        bytes.withUnsafeBytes { body($0.bindMemory(to: CChar.self)) }
    }
}
#endif
