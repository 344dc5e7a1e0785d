/// Where each value of an entity's rows lies in memory.
///
/// A row is a header, a bitmap of nulls for all slots but the first 16, whose bits are in the header, and a slot of 8 bytes
/// for each value; the bytes of texts and blobs follow.
struct RowLayout: Sendable {
    /// Primary key, version, entity number, and which of the first slots have a value.
    static let headerByteCount = 16
    static let headerSlotCount = 16

    let slotKinds: [SlotKind]
    let extent: RowExtent

    init(slotKinds: [SlotKind]) {
        self.slotKinds = slotKinds
        extent = RowExtent(slotCount: slotKinds.count)
    }

    /// Where the bit of a slot is whose bit is not in the header.
    @inline(__always)
    static func bitmapPlace(_ slot: Int) -> (byteOffset: Int, bit: UInt64) {
        let position = slot - headerSlotCount
        return (headerByteCount + ((position >> 6) << 3), 1 << UInt64(position & 63))
    }

    var slotCount: Int { slotKinds.count }
    var slotsByteOffset: Int { extent.slotsByteOffset }
}

/// The measures of a row, without references to count.
struct RowExtent: Sendable, BitwiseCopyable {
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
