/// Builds rows in slabs, one after the other: begin, set slots in any order, finish.
struct RowWriter {
    private(set) var slab: RowSlab

    /// How many slabs have been begun: tells whether the last row lies in another slab than the one before.
    private(set) var slabCount = 1
    /// That of the slab, so that writing a value does not touch the slab's reference count.
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private var end = 0
    private var rowStart = 0
    private var slotsByteOffset = 0

    /// The first word of the row's bitmap, written when the row is finished.
    private var present: UInt64 = 0

    /// - Parameter expectedByteCount: How much is likely to be written, so that a single row does not take a whole slab.
    init(expectedByteCount: Int = RowSlab.byteCount) {
        slab = RowSlab(capacity: min(max(expectedByteCount, 64), RowSlab.byteCount))
        base = slab.base
        capacity = slab.capacity
    }

    /// Starts a row in which no slot has a value.
    @inline(__always)
    mutating func begin(_ extent: RowExtent, key: Int64, version: UInt32, entityNumber: UInt32) {
        rowStart = end
        slotsByteOffset = extent.slotsByteOffset
        reserve(extent.fixedByteCount)
        let start = base + rowStart
        start.storeBytes(of: key, as: Int64.self)
        start.storeBytes(of: version, toByteOffset: 8, as: UInt32.self)
        start.storeBytes(of: entityNumber, toByteOffset: 12, as: UInt32.self)
        present = 0
        for word in 1..<extent.bitmapWordCount {
            start.storeBytes(
                of: 0, toByteOffset: RowLayout.headerByteCount + (word << 3), as: UInt64.self)
        }
    }

    @inline(__always)
    mutating func set(_ slot: Int, integer: Int64) {
        store(integer, slot)
    }

    @inline(__always)
    mutating func set(_ slot: Int, real: Double) {
        store(real, slot)
    }

    @inline(__always)
    mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer) {
        let offset = end - rowStart
        reserve(bytes.count)
        if let source = bytes.baseAddress {
            (base + rowStart + offset).copyMemory(from: source, byteCount: bytes.count)
        }
        store((UInt32(truncatingIfNeeded: offset), UInt32(truncatingIfNeeded: bytes.count)), slot)
    }

    mutating func set(_ slot: Int, text: String) {
        var text = text
        text.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Ends the row; it will never change again.
    @inline(__always)
    mutating func finish() -> RowReference {
        RowReference(slab: slab, offset: finishedOffset())
    }

    /// Ends the row, and tells its place in `slab`.
    @inline(__always)
    mutating func finishedOffset() -> UInt32 {
        base.storeBytes(
            of: present, toByteOffset: rowStart + RowLayout.headerByteCount, as: UInt64.self)
        end = (end + 7) & ~7
        return UInt32(truncatingIfNeeded: rowStart)
    }

    @inline(__always)
    private mutating func store<T: BitwiseCopyable>(_ value: T, _ slot: Int) {
        let start = base + rowStart
        start.storeBytes(of: value, toByteOffset: slotsByteOffset + (slot << 3), as: T.self)
        if slot < 64 {
            present |= 1 << UInt64(slot)
            return
        }
        let offset = RowLayout.headerByteCount + ((slot >> 6) << 3)
        let word = start.load(fromByteOffset: offset, as: UInt64.self)
        start.storeBytes(of: word | 1 << UInt64(slot & 63), toByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private mutating func reserve(_ byteCount: Int) {
        if end + byteCount > capacity { moveRow(reserving: byteCount) }
        end += byteCount
    }

    // A row that does not fit goes to a slab of its own with what has been written of it.
    private mutating func moveRow(reserving byteCount: Int) {
        let written = end - rowStart
        let next = RowSlab(capacity: max(RowSlab.byteCount, (written + byteCount + 7) & ~7))
        next.base.copyMemory(from: base + rowStart, byteCount: written)
        slab = next
        slabCount += 1
        base = next.base
        capacity = next.capacity
        rowStart = 0
        end = written
    }
}
