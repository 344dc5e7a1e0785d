/// Where each value of an entity's rows lies in memory.
///
/// A row is a header, a bitmap of nulls and a slot of 8 bytes for each value; the bytes of texts and blobs follow.
struct RowLayout: Sendable {
    /// Primary key, version and entity number.
    static let headerByteCount = 16

    let slotKinds: [SlotKind]
    let bitmapWordCount: Int

    /// The offset of slot 0 from the start of the row.
    let slotsByteOffset: Int

    /// The size of a row without its texts and blobs.
    let fixedByteCount: Int

    init(slotKinds: [SlotKind]) {
        self.slotKinds = slotKinds
        bitmapWordCount = (slotKinds.count + 63) / 64
        slotsByteOffset = Self.headerByteCount + bitmapWordCount * 8
        fixedByteCount = slotsByteOffset + slotKinds.count * 8
    }

    var slotCount: Int { slotKinds.count }
}
