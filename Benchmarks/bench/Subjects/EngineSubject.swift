import CScheduler
import Foundation

/// A subject of the engine workload: the engine or a peer, opened on a store of items.
///
/// The engine creates the store before any subject opens it, so that all subjects work on the same
/// file. Its only table:
///
///     CREATE TABLE ZITEM (
///         Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
///         ZNUMBER INTEGER, ZQUANTITY INTEGER, ZDELAYMINUTES INTEGER, ZPRICE FLOAT,
///         ZCREATEDAT TIMESTAMP, ZNAME VARCHAR, ZMAKER VARCHAR, ZCITY VARCHAR,
///         ZADDRESS VARCHAR, ZNOTE VARCHAR)
///
/// The order of the columns may differ. Keys begin at 1 and have no gaps. The value of `Z_ENT` and
/// `Z_OPT` is 1. Dates are seconds since 2001 (`Date.timeIntervalSinceReferenceDate`). A missing
/// value is NULL.
///
/// Each method can be called several times on an open subject and does its whole work each time.
protocol EngineSubject: ItemsSubject {
    /// Opens the store in WAL mode, with the configuration's `synchronous` setting.
    init(configuration: SubjectConfiguration) throws

    /// Fetches all items with all columns into an array, in any order, and reads each property of
    /// each item once as a Swift value.
    func readItems() throws -> ItemChecksum

    /// Fetches all items with all columns into an array and reads each item's number.
    func readNumbers() throws -> ItemChecksum

    /// Fetches like ``readNumbers()`` and returns the items, which live as long as the return
    /// value.
    func holdItems() throws -> HeldItems

    /// Inserts items one by one, `saveSize` of them per transaction.
    func insert(_ items: [ItemRow], saveSize: Int) throws

    /// Inserts items with the same picture each, in one transaction. Before, each picture is written
    /// to a file of its own and synced, then the folder, unless `synchronous` is off.
    ///
    /// The files are called by UUIDs and lie in ``SubjectConfiguration/pictureFolder``. The column
    /// `ZPICTURE` has a byte 2, the name of the file and a zero byte.
    func insert(_ items: [ItemRow], picture: Data) throws

    /// Inserts items with the subject's bulk operation, in one transaction.
    func batchInsert(_ items: [ItemRow]) throws

    /// Inserts items like ``batchInsert(_:)``. The numbers are unique: a stored item with the
    /// number takes the other values, and its version rises.
    func upsert(_ items: [ItemRow]) throws

    /// Inserts the items of an ``ItemFile`` like ``batchInsert(_:)``, without holding them all.
    func importItems(from file: ItemFile) throws

    /// Fetches all items and keeps them as objects or values for the methods on loaded items. Not
    /// measured.
    func loadItems() throws

    /// Reads the number of each loaded item once per round, in the order that ``Rounds`` gives.
    func readLoadedNumbers(in rounds: Rounds) throws -> ItemChecksum

    /// Reads the city of each loaded item once per round, in the order that ``Rounds`` gives.
    func readLoadedCities(in rounds: Rounds) throws -> ItemChecksum

    /// Filters the loaded items in memory, by a predicate or a closure: a quantity below one value
    /// and a city with a prefix. Reads the number of each match.
    func filterLoadedItems(quantityBelow quantity: Int32, cityPrefix: String) throws -> ItemChecksum

    /// Adds 1 to the quantity of each loaded item and writes each by its key, in one transaction.
    func updateLoadedItems() throws

    /// Adds 1 to the quantity of all items in the store with one UPDATE.
    func batchUpdate() throws

    /// Reads the items with these keys, each by its own SELECT, and each property once. Nothing is
    /// cached before.
    ///
    /// - Parameter inTransaction: whether a peer uses one read transaction for all SELECTs instead
    ///   of one for each. The engine ignores it: faults that fire in one turn of a context's queue
    ///   share a transaction.
    func readItems(withKeys keys: [Int64], inTransaction: Bool) throws -> ItemChecksum

    /// For each of these numbers, reads at most `rowCount` items from that number on, in ascending
    /// order, and each property once. Each page is a separate request of the same shape, without a
    /// common transaction.
    func readPages(from numbers: [Int64], rowCount: Int) throws -> ItemChecksum

    /// Fetches the first `rowCount` items by number and reads each property of each item once.
    /// Repeats this `times` times, without reusing anything.
    ///
    /// - Returns: the last page.
    func holdFirstPage(rowCount: Int, times: Int) throws -> HeldItems

    /// For each of these words, finds the items whose notes contain it, through the full-text index,
    /// and reads each property once. Each search is a separate request of the same shape, without
    /// a common transaction. The index is the FTS5 table `Z_FT_Item_words`, with the keys of
    /// `ZITEM` as its rowids.
    func searchItems(for words: [String]) throws -> ItemChecksum

    /// Counts the items, as a list must that shows its scroll bar, and reads the first `rowCount`
    /// of them by number, and each property once.
    ///
    /// - Returns: the count, and the items read.
    func readFirstBatch(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum)

    /// Counts the items and reads all of them by number, `rowCount` at a time, and each property
    /// once. Keeps a few batches at most.
    func scroll(rowCount: Int) throws -> (count: Int, checksum: ItemChecksum)
}

/// How loaded items are read repeatedly: a few neighbours for all rounds, then the next few.
///
/// After each read a compiler barrier prevents the compiler from reusing a value in the next round
/// and from reading several items at once. The neighbours stay in the first-level cache, since
/// waiting for memory is not part of a read.
struct Rounds: Sendable {
    var count: Int
    var neighbourCount: Int

    /// Calls the body with the position of the item to read.
    @inline(__always)
    func forEachRead(of itemCount: Int, _ read: (Int) -> Void) {
        for start in stride(from: 0, to: itemCount, by: neighbourCount) {
            let end = min(start + neighbourCount, itemCount)
            for _ in 0..<count {
                for position in start..<end {
                    read(position)
                    compiler_barrier()
                }
            }
        }
    }
}

/// The result of a fetch, kept alive while its memory is measured.
struct HeldItems {
    var items: Any
    var checksum: ItemChecksum
}

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
