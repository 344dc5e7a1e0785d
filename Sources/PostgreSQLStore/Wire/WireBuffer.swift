#if PostgreSQL

/// Growing memory for values in network byte order.
final class WireBuffer {
    // Points to memory that this object owns.
    private(set) var base: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        base = .allocate(byteCount: self.capacity, alignment: 8)
    }

    init(copying other: WireBuffer) {
        capacity = other.capacity
        count = other.count
        base = .allocate(byteCount: capacity, alignment: 8)
        base.copyMemory(from: other.base, byteCount: count)
    }

    deinit { base.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    func removeAll() { count = 0 }

    /// Makes room for so many bytes at the end.
    ///
    /// - Returns: Their start, which is valid until the next call.
    @inline(__always)
    func extend(by byteCount: Int) -> UnsafeMutableRawPointer {
        if capacity - count < byteCount { grow(for: byteCount) }
        let place = base + count
        count += byteCount
        return place
    }

    @inline(never)
    private func grow(for byteCount: Int) {
        capacity = max(capacity * 2, count + byteCount)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
    }
}

// Values with their length before them, as arrays and copied rows have them.
extension WireBuffer {
    @inline(__always)
    func appendField(integer: Int64) {
        let place = extend(by: 12)
        place.storeNetwork(Int32(8))
        (place + 4).storeNetwork(integer)
    }

    /// NaN becomes NULL, as in SQLite.
    @inline(__always)
    func appendField(real: Double) {
        guard !real.isNaN else { return appendNullField() }
        let place = extend(by: 12)
        place.storeNetwork(Int32(8))
        (place + 4).storeNetwork(real.bitPattern)
    }

    /// Bytes beyond 2 GiB lose their length; the caller's limit for all values is lower.
    @inline(__always)
    func appendField(bytes: UnsafeRawBufferPointer) {
        let place = extend(by: 4 + bytes.count)
        place.storeNetwork(Int32(truncatingIfNeeded: bytes.count))
        if let source = bytes.baseAddress {
            (place + 4).copyMemory(from: source, byteCount: bytes.count)
        }
    }

    func appendField(text: String) {
        var text = text
        text.withUTF8 { appendField(bytes: UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    func appendNullField() { extend(by: 4).storeNetwork(Int32(-1)) }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    func storeNetwork<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        storeBytes(of: value.bigEndian, as: T.self)
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    func loadNetwork<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T {
        T(bigEndian: loadUnaligned(as: T.self))
    }
}
#endif
