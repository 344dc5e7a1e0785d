import Foundation

/// The ten properties of an item, half of them strings. As a struct, an item takes five allocations
/// and about 480 bytes. The performance goals were set for this row.
protocol ItemValues {
    var number: Int64 { get }
    var quantity: Int32 { get }
    var delayMinutes: Int32? { get }
    var price: Double { get }
    var createdAt: Date { get }
    /// 24 bytes.
    var name: String { get }
    /// 28 bytes.
    var maker: String { get }
    /// 20 bytes.
    var city: String { get }
    /// 36 bytes.
    var address: String { get }
    /// 40 bytes; nil for one in four.
    var note: String? { get }
}

extension ItemValues {
    /// Reads each property once, like a table cell that shows the item.
    ///
    /// - Returns: the quantity.
    @discardableResult
    func readAll() -> Int32 {
        var checksum = ItemChecksum()
        checksum.add(self)
        return quantity
    }
}

/// An item as a value, for inserts and for the reads of peers.
struct ItemRow: ItemValues, Sendable, Hashable, Codable {
    var number: Int64
    var quantity: Int32
    var delayMinutes: Int32?
    var price: Double
    var createdAt: Date
    var name: String
    var maker: String
    var city: String
    var address: String
    var note: String?
}

/// A checksum of the values read, to detect wrong answers. Adding an item reads each property, and
/// each string's length once, so that it costs the same few nanoseconds for all subjects.
struct ItemChecksum: Sendable, Hashable {
    private(set) var itemCount = 0
    private(set) var sum: UInt64 = 0

    @inline(__always)
    mutating func add(_ item: some ItemValues) {
        itemCount += 1
        add(item.number)
        add(Int64(item.quantity))
        add(Int64(item.delayMinutes ?? -1))
        sum &+= item.price.bitPattern
        sum &+= item.createdAt.timeIntervalSinceReferenceDate.bitPattern
        add(item.name)
        add(item.maker)
        add(item.city)
        add(item.address)
        if let note = item.note { add(note) }
    }

    init() {}

    /// The checksum of known items. If the sum is unknown, a checksum that no items have.
    init(itemCount: Int, sum: Int64?) {
        self.itemCount = sum == nil ? -1 : itemCount
        self.sum = UInt64(bitPattern: sum ?? 0)
    }

    /// Adds the items of another checksum.
    mutating func add(_ other: ItemChecksum) {
        itemCount += other.itemCount
        sum &+= other.sum
    }

    /// Adds an item if only its number was read.
    @inline(__always)
    mutating func add(number: Int64) {
        itemCount += 1
        add(number)
    }

    /// Adds an item if only its city was read.
    @inline(__always)
    mutating func add(city: String) {
        itemCount += 1
        add(city)
    }

    @inline(__always)
    private mutating func add(_ value: Int64) {
        sum &+= UInt64(bitPattern: value)
    }

    @inline(__always)
    private mutating func add(_ text: String) {
        sum &+= UInt64(text.utf8.count) &+ UInt64(text.utf8.first ?? 0) << 8
    }
}
