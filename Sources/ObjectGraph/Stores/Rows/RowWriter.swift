import Foundation

/// Builds rows in slabs, one after the other: begin a row, set slots in any order, finish it.
package struct RowWriter: SlotWriter, @unchecked Sendable {
    // @unchecked Sendable: its pointers point into its slab, to which nothing else writes; a copy
    // is never used beside it.

    private(set) var slab: RowSlab

    /// How many slabs were begun. If it changed, the last row is in another slab than the row
    /// before.
    private(set) var slabCount = 1

    // These point into `slab`, so that writing a value does not touch its reference count.
    private var rowStart: UnsafeMutableRawPointer
    private var slots: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer
    private var limit: UnsafeMutableRawPointer
    private var capacity: Int

    init() { self.init(expectedByteCount: RowSlab.byteCount) }

    /// How much of the slab is used.
    var usedByteCount: Int { end - (limit - capacity) }

    /// Which of the first slots have a value; written to the row when it is finished.
    private var present: UInt16 = 0

    /// - Parameter expectedByteCount: The likely size of all rows, so that a single row does not
    ///   allocate a whole slab.
    package init(expectedByteCount: Int) {
        slab = RowSlab(capacity: min(max(expectedByteCount, 64), RowSlab.byteCount))
        (rowStart, slots, end) = (slab.base, slab.base, slab.base)
        capacity = slab.capacity
        limit = slab.base + capacity
    }

    /// Starts a row in which no slot has a value.
    @inline(__always)
    package mutating func begin(
        _ extent: RowExtent, key: Int64, version: UInt32, entityNumber: UInt32
    ) {
        rowStart = end
        reserve(extent.fixedByteCount)
        slots = rowStart + extent.slotsByteOffset
        rowStart.beginRow(extent, key: key, version: version, entityNumber: entityNumber)
        present = 0
    }

    @inline(__always)
    package mutating func set(_ slot: Int, integer: Int64) {
        store(integer, slot)
    }

    @inline(__always)
    package mutating func set(_ slot: Int, real: Double) {
        store(real, slot)
    }

    @inline(__always)
    package mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        let start = end - bytes.count
        start.copyText(bytes)
        store(
            (UInt32(truncatingIfNeeded: start - rowStart), UInt32(truncatingIfNeeded: bytes.count)),
            slot)
    }

    /// Makes a file the value of a blob's slot.
    ///
    /// - Parameters:
    ///   - folder: The path of its folder, with the final slash; or its whole path.
    ///   - name: Its name.
    mutating func set(
        _ slot: Int, fileIn folder: UnsafeRawBufferPointer, _ name: UnsafeRawBufferPointer
    ) {
        let count = folder.count + name.count
        reserve(4 + count)
        let start = end - 4 - count
        start.storeBytes(of: UInt32(truncatingIfNeeded: count), as: UInt32.self)
        (start + 4).copyText(folder)
        (start + 4 + folder.count).copyText(name)
        store((UInt32(0), UInt32(truncatingIfNeeded: start - rowStart)), slot)
    }

    /// Whether each of the first slots whose bit is set has a value.
    @inline(__always)
    func hasValues(_ slots: UInt16) -> Bool { present & slots == slots }

    func hasValue(_ slot: Int) -> Bool {
        if slot < RowLayout.headerSlotCount { return present & 1 << UInt16(slot) != 0 }
        return UnsafeRawPointer(rowStart).rowHasValue(slot)
    }

    /// Removes the value of a slot.
    mutating func clear(_ slot: Int) {
        if slot < RowLayout.headerSlotCount {
            present &= ~(1 << UInt16(truncatingIfNeeded: slot))
        } else {
            rowStart.rowClear(slot)
        }
    }

    /// Finishes the row, which never changes afterwards.
    @inline(__always)
    package mutating func finish() -> RowReference {
        RowReference(slab: slab, offset: finishedPlace().offset)
    }

    /// Finishes the row and returns its place in `slab`.
    @inline(__always)
    mutating func finishedPlace() -> RowPlace {
        rowStart.storeBytes(of: present, toByteOffset: 14, as: UInt16.self)
        end = end.alignedUp(toMultipleOf: 8)
        return RowPlace(UnsafeRawPointer(rowStart), slabBase: limit - capacity)
    }

    /// Reuses the memory of the slab from its start. Its rows must no longer be needed.
    mutating func rewind() {
        end = limit - capacity
    }

    @inline(__always)
    private mutating func store<T: BitwiseCopyable>(_ value: T, _ slot: Int) {
        slots.storeBytes(of: value, toByteOffset: slot << 3, as: T.self)
        if slot < RowLayout.headerSlotCount {
            present |= 1 << UInt16(truncatingIfNeeded: slot)
        } else {
            rowStart.rowMark(slot)
        }
    }

    @inline(__always)
    private mutating func reserve(_ byteCount: Int) {
        if limit - end < byteCount { moveRow(reserving: byteCount) }
        end += byteCount
    }

    // Moves a row that does not fit, with the bytes written so far, to a new slab.
    @inline(never)
    private mutating func moveRow(reserving byteCount: Int) {
        let written = end - rowStart
        let slotsByteOffset = slots - rowStart
        let next = RowSlab(
            capacity: max(
                min(capacity * 2, RowSlab.byteCount), (written + byteCount + 7) & ~7))
        next.base.copyMemory(from: rowStart, byteCount: written)
        slab = next
        slabCount += 1
        rowStart = next.base
        slots = rowStart + slotsByteOffset
        end = rowStart + written
        capacity = next.capacity
        limit = rowStart + capacity
    }
}

/// Receives the values of a row, slot by slot.
protocol SlotWriter {
    mutating func set(_ slot: Int, integer: Int64)
    mutating func set(_ slot: Int, real: Double)
    mutating func set(_ slot: Int, bytes: UnsafeRawBufferPointer)
}

extension SlotWriter {
    @inline(__always)
    mutating func set(_ slot: Int, text: String) {
        // A Swift string is nearly always contiguous. This call costs no reference count;
        // `withUTF8` needs a copy, which does.
        if text.utf8.withContiguousStorageIfAvailable({
            set(slot, bytes: UnsafeRawBufferPointer($0))
        }) == nil {
            var copy = text
            copy.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// Writes a value in the storage form of its attribute's column (spec §8.5), and a reference as
    /// its number only.
    ///
    /// Takes a pointer to avoid reference counting.
    @inline(__always)
    mutating func set(_ slot: Int, _ value: UnsafePointer<AttributeValue>, _ kind: SlotKind) {
        switch value.pointee {
        case .null: break
        case .boolean(let value): set(slot, integer: value ? 1 : 0)
        case .integer(let value):
            if kind == .real {
                set(slot, real: Double(value))
            } else {
                set(slot, integer: value)
            }
        case .double(let value): set(slot, real: value)
        case .date(let value): set(slot, real: value.timeIntervalSinceReferenceDate)
        case .decimal: set(slot, real: value.pointee.double!)
        case .string(let value): set(slot, text: value)
        case .uri(let value): set(slot, text: value.absoluteString)
        case .data(let value): value.withUnsafeBytes { set(slot, bytes: $0) }
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { set(slot, bytes: $0) }
        case .transformable(let value):
            // Validation has rejected a value that has no data.
            value.storedData?.withUnsafeBytes { set(slot, bytes: $0) }
        case .objectID(let value): set(slot, integer: value.reference)
        // Only its elements have slots.
        case .composite: break
        }
    }

    mutating func set(_ slot: Int, _ value: AttributeValue, _ kind: SlotKind) {
        withUnsafePointer(to: value) { set(slot, $0, kind) }
    }
}
