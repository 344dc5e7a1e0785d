import Foundation

/// Items in two kinds of blocks: fixed values in an array, and the bytes of texts one after the
/// other. A text becomes a string when it is read.
final class ItemArena {
    private static let blockBytes = 1 << 18

    private(set) var entries: [Entry] = []
    private var blocks: [UnsafeMutableRawPointer] = []
    /// The block that is being filled, and its free part.
    private var blockIndex = -1
    private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// The values of an item. The texts follow each other from `texts` on.
    struct Entry {
        var key: Int64
        var number: Int64
        var price: Double
        fileprivate var createdSeconds: Double
        fileprivate var texts: UnsafePointer<UInt8>
        var quantity: Int32
        var version: Int32
        fileprivate var delay: Int32
        fileprivate var hasDelay: Bool
        fileprivate var hasNote: Bool
        fileprivate var lengths:
            (name: UInt16, maker: UInt16, city: UInt16, address: UInt16, note: UInt16)
    }

    deinit {
        for block in blocks { block.deallocate() }
    }

    func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// Removes all items and keeps the memory.
    func removeAll() {
        entries.removeAll(keepingCapacity: true)
        blockIndex = -1
        free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }

    /// Adds the row of a statement with ``ItemRecord/selection``.
    @inline(__always)
    func append(_ statement: borrowing CStatement) {
        let (name, maker) = (statement.utf8(4), statement.utf8(3))
        let (city, address) = (statement.utf8(2), statement.utf8(1))
        let note = statement.optionalUTF8(0)
        let noteCount = note?.count ?? 0
        var end = start(of: name.count + maker.count + city.count + address.count + noteCount)
        let texts = UnsafePointer(end.assumingMemoryBound(to: UInt8.self))
        func add(_ text: UnsafeBufferPointer<UInt8>) {
            if let bytes = text.baseAddress { end.copyMemory(from: bytes, byteCount: text.count) }
            end += text.count
        }
        add(name)
        add(maker)
        add(city)
        add(address)
        if let note { add(note) }
        let delay = statement.optionalInteger(7)
        entries.append(
            Entry(
                key: statement.integer(11), number: statement.integer(9), price: statement.real(6),
                createdSeconds: statement.real(5), texts: texts,
                quantity: Int32(truncatingIfNeeded: statement.integer(8)),
                version: Int32(truncatingIfNeeded: statement.integer(10)),
                delay: Int32(truncatingIfNeeded: delay ?? 0), hasDelay: delay != nil,
                hasNote: note != nil,
                lengths: (
                    UInt16(name.count), UInt16(maker.count), UInt16(city.count),
                    UInt16(address.count), UInt16(noteCount)
                )))
    }

    /// Takes bytes from the block that is being filled, or from the next one.
    @inline(__always)
    private func start(of count: Int) -> UnsafeMutableRawPointer {
        if count > free.count { openBlock() }
        let start = free.baseAddress!
        free = UnsafeMutableRawBufferPointer(rebasing: free[count...])
        return start
    }

    /// The texts of an item are shorter than a block.
    private func openBlock() {
        blockIndex += 1
        if blockIndex == blocks.count {
            blocks.append(.allocate(byteCount: Self.blockBytes, alignment: 16))
        }
        free = UnsafeMutableRawBufferPointer(start: blocks[blockIndex], count: Self.blockBytes)
    }

    /// Changes the values of an item that are not texts.
    func update(_ index: Int, _ body: (inout Entry) -> Void) { body(&entries[index]) }

    /// Adds all items, each property of each read once.
    func addAll(to checksum: inout ItemChecksum) {
        entries.withUnsafeBufferPointer { entries in
            for index in entries.indices { checksum.add(entries[index]) }
        }
    }
}

/// Valid as long as the arena has the item: the texts are in its blocks.
extension ItemArena.Entry: ItemValues {
    var delayMinutes: Int32? { hasDelay ? delay : nil }
    var createdAt: Date { Date(timeIntervalSinceReferenceDate: createdSeconds) }
    var name: String { text(0, lengths.name) }
    var maker: String { text(Int(lengths.name), lengths.maker) }
    var city: String { String(decoding: cityBytes, as: UTF8.self) }
    var address: String {
        text(Int(lengths.name) + Int(lengths.maker) + Int(lengths.city), lengths.address)
    }
    var note: String? {
        guard hasNote else { return nil }
        let start =
            Int(lengths.name) + Int(lengths.maker) + Int(lengths.city) + Int(lengths.address)
        return text(start, lengths.note)
    }

    var cityBytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: texts + Int(lengths.name) + Int(lengths.maker), count: Int(lengths.city))
    }

    @inline(__always)
    private func text(_ start: Int, _ count: UInt16) -> String {
        String(
            decoding: UnsafeBufferPointer(start: texts + start, count: Int(count)), as: UTF8.self)
    }
}
