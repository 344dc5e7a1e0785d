/// The positions of the values in an entity's rows in memory.
///
/// A row has a header, a bitmap of the slots with a value, 8 bytes for each slot, and then the
/// bytes of texts and blobs. The bits of the first 16 slots are in the header. Instead of a blob, a
/// row can have the path of the file that holds it.
package struct RowLayout: Sendable {
    /// Primary key, version, entity number, and a bit for each of the first slots with a value.
    static let headerByteCount = 16
    static let headerSlotCount = 16

    package let slotKinds: [SlotKind]
    package let extent: RowExtent

    init(slotKinds: [SlotKind]) {
        self.slotKinds = slotKinds
        extent = RowExtent(slotCount: slotKinds.count)
    }

    /// The position of a slot's bit outside the header.
    @inline(__always)
    static func bitmapPlace(_ slot: Int) -> (byteOffset: Int, bit: UInt64) {
        let position = slot - headerSlotCount
        return (headerByteCount + ((position >> 6) << 3), 1 << UInt64(position & 63))
    }

    package var slotCount: Int { slotKinds.count }
    var slotsByteOffset: Int { extent.slotsByteOffset }
}

/// The sizes of a row, without references to count.
package struct RowExtent: Sendable, BitwiseCopyable {
    let slotCount: Int
    let bitmapWordCount: Int

    /// The offset of slot 0 from the start of the row.
    let slotsByteOffset: Int

    /// The size of a row without its texts and blobs.
    let fixedByteCount: Int

    init(slotCount: Int) {
        self.slotCount = slotCount
        bitmapWordCount = (max(0, slotCount - RowLayout.headerSlotCount) + 63) / 64
        slotsByteOffset = RowLayout.headerByteCount + bitmapWordCount * 8
        fixedByteCount = slotsByteOffset + slotCount * 8
    }
}

// MARK: - The null bits of a row

extension UnsafeRawPointer {
    /// The version of the row that starts here.
    @inline(__always)
    var rowVersion: UInt32 { load(fromByteOffset: 8, as: UInt32.self) }

    /// Whether the row that starts here has a value in a slot.
    @inline(__always)
    func rowHasValue(_ slot: Int) -> Bool {
        if slot < RowLayout.headerSlotCount {
            return load(fromByteOffset: 14, as: UInt16.self)
                & (1 << UInt16(truncatingIfNeeded: slot)) != 0
        }
        let place = RowLayout.bitmapPlace(slot)
        return load(fromByteOffset: place.byteOffset, as: UInt64.self) & place.bit != 0
    }

    /// The bytes of a text or blob of the row that starts here, by the offset of its slot.
    @inline(__always)
    func rowBytes(_ slotByteOffset: Int) -> UnsafeRawBufferPointer {
        let extent = load(fromByteOffset: slotByteOffset, as: (UInt32, UInt32).self)
        return UnsafeRawBufferPointer(start: self + Int(extent.0), count: Int(extent.1))
    }

    /// The path of the file with the value of a blob's slot; nil if the row has the bytes.
    ///
    /// Such a slot has offset 0, where no bytes can be, and then the offset of the path's length.
    @inline(__always)
    func rowFilePath(_ slotByteOffset: Int) -> UnsafeRawBufferPointer? {
        let extent = load(fromByteOffset: slotByteOffset, as: (UInt32, UInt32).self)
        guard extent.0 == 0 else { return nil }
        let place = self + Int(extent.1)
        let count = place.loadUnaligned(as: UInt32.self)
        return UnsafeRawBufferPointer(start: place + 4, count: Int(count))
    }

    /// Whether the row that starts here has a value in each slot of the mask. The mask covers the
    /// first 16 slots.
    @inline(__always)
    func rowHasValues(_ slots: UInt16) -> Bool {
        load(fromByteOffset: 14, as: UInt16.self) & slots == slots
    }
}

extension UnsafeMutableRawPointer {
    /// Writes the head of a row that starts here, in which no slot has a value.
    @inline(__always)
    func beginRow(_ extent: RowExtent, key: Int64, version: UInt32, entityNumber: UInt32) {
        storeBytes(of: key, as: Int64.self)
        storeBytes(of: version, toByteOffset: 8, as: UInt32.self)
        // The bits of the first slots follow the entity number.
        storeBytes(
            of: UInt32(UInt16(truncatingIfNeeded: entityNumber)), toByteOffset: 12,
            as: UInt32.self)
        for word in 0..<extent.bitmapWordCount {
            storeBytes(
                of: 0, toByteOffset: RowLayout.headerByteCount + (word << 3), as: UInt64.self)
        }
    }

    /// Marks a slot of the row that starts here as having a value.
    @inline(__always)
    func rowMark(_ slot: Int) {
        if slot < RowLayout.headerSlotCount {
            let present = load(fromByteOffset: 14, as: UInt16.self)
            return storeBytes(
                of: present | 1 << UInt16(truncatingIfNeeded: slot), toByteOffset: 14,
                as: UInt16.self)
        }
        let place = RowLayout.bitmapPlace(slot)
        let word = load(fromByteOffset: place.byteOffset, as: UInt64.self)
        storeBytes(of: word | place.bit, toByteOffset: place.byteOffset, as: UInt64.self)
    }

    /// Marks a slot of the row that starts here as having no value.
    @inline(__always)
    func rowClear(_ slot: Int) {
        if slot < RowLayout.headerSlotCount {
            let present = load(fromByteOffset: 14, as: UInt16.self)
            return storeBytes(
                of: present & ~(1 << UInt16(truncatingIfNeeded: slot)), toByteOffset: 14,
                as: UInt16.self)
        }
        let place = RowLayout.bitmapPlace(slot)
        let word = load(fromByteOffset: place.byteOffset, as: UInt64.self)
        storeBytes(of: word & ~place.bit, toByteOffset: place.byteOffset, as: UInt64.self)
    }
}
