#if PostgreSQL
/// Values in network byte order, one after the other, each after its length: the form of a row in
/// `COPY`. Parameters of a statement point into it.
struct FieldBuffer {
    private var bytes: [UInt8] = []
    private var fields: [(start: Int, count: Int32)] = []

    init() { bytes.reserveCapacity(1 << 17) }

    var byteCount: Int { bytes.count }

    /// Forgets all values.
    mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    mutating func appendCopyHeader() {
        bytes += Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + Array(repeating: 0, count: 8)
    }

    /// Begins a row of `COPY`, or ends the stream if negative.
    @inline(__always)
    mutating func append(fieldCount: Int) {
        fields.removeAll(keepingCapacity: true)
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
        fields.append((bytes.count, count))
        if let raw { bytes += raw }
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        bytes.withUnsafeBytes { body($0.bindMemory(to: CChar.self)) }
    }

    /// Calls the body with the fields as binary parameters.
    func withParameters(
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) throws -> Void
    ) rethrows {
        try bytes.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: CChar.self).baseAddress!
            try body(
                fields.map { $0.count < 0 ? nil : start + $0.start },
                fields.map { max($0.count, 0) }, fields.map { _ in 1 })
        }
    }
}
#endif
