import Synchronization

/// One block of memory that holds the rows of one read, one after the other.
///
/// A row is copied once, from the statement into the slab; the row cache and the objects of every
/// context refer to it there. The size of a slab limits the memory that one surviving object can
/// keep alive.
///
/// A row starts at a multiple of 8 bytes: primary key (8), version (4), entity number (2), a bit
/// for each of the first 16 slots that means "has a value" (2), words of such bits for the other
/// slots, a slot of 8 bytes for each value, then the bytes of texts and blobs. Integers and reals
/// are stored in their slot; for a text or blob the slot holds the offset of its bytes from the
/// start of the row, and their number.
final class RowSlab: @unchecked Sendable {
    // @unchecked Sendable: only one `RowWriter`, or one context for the drafts of its new objects,
    // writes to a slab. It does not write to a row after handing out a reference to it. So finished
    // rows never change, and the memory lives as long as the slab.

    /// The size of an ordinary slab: some two hundred rows of ten columns.
    static let byteCount = 32 * 1024

    let base: UnsafeMutableRawPointer
    let capacity: Int

    /// When the rows were read; contexts with a staleness interval compare it.
    let readAt = MonotonicTime.now

    /// Whether the level above may have a newer version of at least one of the rows.
    let hasSupersededRows = Atomic<Bool>(false)

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { base.deallocate() }
}

/// The memory of a slab of drafts: rows whose texts may be stored after other rows of the same
/// slab.
///
/// The end of the used bytes is stored in the memory itself, so that adding a text does not touch
/// the reference count of the slab.
struct DraftSpace {
    // Points to the slab's memory. The object whose draft is written, or the context, holds the
    // slab.
    private let base: UnsafeMutableRawPointer

    /// The space of a slab made by `makeSlab`.
    @inline(__always)
    init(of slab: RowSlab) { base = slab.base }

    static func makeSlab(capacity: Int) -> RowSlab {
        let slab = RowSlab(capacity: capacity)
        slab.base.storeBytes(
            of: Extent(end: MemoryLayout<Extent>.size, limit: capacity), as: Extent.self)
        return slab
    }

    private struct Extent: BitwiseCopyable {
        var end: Int
        let limit: Int
    }

    @inline(__always)
    private var extent: UnsafeMutablePointer<Extent> { base.assumingMemoryBound(to: Extent.self) }

    /// Whether there is room for a draft and, most likely, for its texts.
    @inline(__always)
    func hasRoom(for row: RowExtent) -> Bool {
        extent.pointee.limit - extent.pointee.end >= row.fixedByteCount * 3
    }

    /// A row in which no slot has a value.
    @inline(__always)
    func begin(_ row: RowExtent, _ entityNumber: UInt32) -> UnsafeRawPointer {
        let start = base + (extent.pointee.end + 7) & ~7
        extent.pointee.end = start - base + row.fixedByteCount
        start.beginRow(row, key: 0, version: 0, entityNumber: entityNumber)
        return UnsafeRawPointer(start)
    }

    /// Copies the bytes to the end of the used space; nil if they do not fit.
    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        let end = extent.pointee.end
        guard extent.pointee.limit - end >= bytes.count else { return nil }
        let place = base + end
        if let source = bytes.baseAddress {
            place.copyMemory(from: source, byteCount: bytes.count)
        }
        extent.pointee.end = end + bytes.count
        return place
    }
}

/// A finished row in a slab.
package struct RowReference: @unchecked Sendable {
    // @unchecked Sendable: `start` points into the slab beside it, whose finished rows never
    // change.
    let slab: RowSlab
    let start: UnsafeRawPointer

    init(slab: RowSlab, start: UnsafeRawPointer) {
        self.slab = slab
        self.start = start
    }

    init(slab: RowSlab, offset: UInt32) {
        self.init(slab: slab, start: slab.base + Int(offset))
    }

    var place: RowPlace { RowPlace(start, slabBase: slab.base) }

    /// The primary key. It is negative in rows of unsaved objects, which a parent context passes to
    /// a child.
    @inline(__always)
    package var key: Int64 { start.load(as: Int64.self) }
    @inline(__always)
    package var version: UInt32 { start.rowVersion }
    @inline(__always)
    package var entityNumber: UInt32 { UInt32(start.load(fromByteOffset: 12, as: UInt16.self)) }
    package var entityIndex: Int { Int(entityNumber) - 1 }

    @inline(__always)
    package func hasValue(_ slot: Int) -> Bool { start.rowHasValue(slot) }

    /// The integer in a slot that has a value.
    @inline(__always)
    package func integer(_ slot: Int, in layout: RowLayout) -> Int64 {
        start.load(fromByteOffset: layout.slotsByteOffset + (slot << 3), as: Int64.self)
    }

    @inline(__always)
    package func real(_ slot: Int, in layout: RowLayout) -> Double {
        start.load(fromByteOffset: layout.slotsByteOffset + (slot << 3), as: Double.self)
    }

    /// The bytes of the text or blob in a slot that has a value, and not a file; valid while the
    /// slab lives.
    @inline(__always)
    package func bytes(_ slot: Int, in layout: RowLayout) -> UnsafeRawBufferPointer {
        start.rowBytes(layout.slotsByteOffset + (slot << 3))
    }

    package func text(_ slot: Int, in layout: RowLayout) -> String {
        String(copying: bytes(slot, in: layout))
    }

    /// The destination of a to-one relationship; nil if there is none.
    func destination(of property: Property, in layout: RowLayout) -> EntityKey? {
        guard let slot = property.slot, hasValue(slot), let relationship = property.relationship
        else { return nil }
        var entityIndex = relationship.destinationIndex
        if let entitySlot = property.entitySlot, hasValue(entitySlot) {
            let number = Int(integer(entitySlot, in: layout))
            if number > 0 { entityIndex = number - 1 }
        }
        return EntityKey(entityIndex: entityIndex, key: integer(slot, in: layout))
    }

    /// Whether two rows of one layout have the same value in a slot.
    func hasSameValue(_ slot: Int, as other: RowReference, in layout: RowLayout) -> Bool {
        guard hasValue(slot), other.hasValue(slot) else {
            return hasValue(slot) == other.hasValue(slot)
        }
        switch layout.slotKinds[slot] {
        case .integer, .real: return integer(slot, in: layout) == other.integer(slot, in: layout)
        case .text: break
        case .blob:
            switch (externalValue(slot, in: layout), other.externalValue(slot, in: layout)) {
            case (nil, nil): break
            // A file never changes, so another file counts as another value.
            case (let own?, let others?): return own.path == others.path
            // An object has the data since its own save, until it reads its row again.
            case (let file?, nil): return file.hasData(other.bytes(slot, in: layout))
            case (nil, let file?): return file.hasData(bytes(slot, in: layout))
            }
        }
        return bytes(slot, in: layout).elementsEqual(other.bytes(slot, in: layout))
    }
}
