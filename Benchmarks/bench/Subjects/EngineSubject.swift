import CScheduler
import Foundation

/// What the engine workload measures: the engine, or a peer, opened on a store of items.
///
/// The store is made by the engine before anybody opens it, so that all work on the same file. Its one table:
///
///     CREATE TABLE ZITEM (
///         Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
///         ZNUMBER INTEGER, ZQUANTITY INTEGER, ZDELAYMINUTES INTEGER, ZPRICE FLOAT, ZCREATEDAT TIMESTAMP,
///         ZNAME VARCHAR, ZMAKER VARCHAR, ZCITY VARCHAR, ZADDRESS VARCHAR, ZNOTE VARCHAR)
///
/// (the order of the columns is not promised). Keys begin at 1 without gaps, `Z_ENT` and `Z_OPT` are 1, dates are
/// seconds since 2001 (`Date.timeIntervalSinceReferenceDate`), a missing value is NULL.
///
/// Every method may be called several times on an open subject and does its whole work each time.
protocol EngineSubject: InspectableSubject {
    /// Opens the store, in WAL mode with the `synchronous` setting of the configuration.
    init(configuration: SubjectConfiguration) throws

    /// Fetches every item with all its columns into an array, in any order, then reads every property of each once as a
    /// Swift value.
    func readItems() throws -> ItemChecksum

    /// Fetches every item with all its columns into an array, then reads the number of each.
    func readNumbers() throws -> ItemChecksum

    /// Fetches as ``readNumbers()`` does and returns what it fetched, which lives as long as the return value.
    func holdItems() throws -> HeldItems

    /// Inserts items one by one, with a transaction for every `saveSize` of them.
    func insert(_ items: [ItemRow], saveSize: Int) throws

    /// Inserts items by the subject's bulk way, in one transaction.
    func batchInsert(_ items: [ItemRow]) throws

    /// Fetches every item and keeps it, as an object or a value, for what is done with loaded items. Not measured.
    func loadItems() throws

    /// Reads the number of every loaded item as often as there are rounds, in their order.
    func readLoadedNumbers(in rounds: Rounds) throws -> ItemChecksum

    /// Reads the city of every loaded item as often as there are rounds, in their order.
    func readLoadedCities(in rounds: Rounds) throws -> ItemChecksum

    /// Finds the loaded items with a quantity below one and a city that begins with a text, in memory: an integer and a
    /// text term, as a predicate or as a closure. Reads the number of each that it finds.
    func filterLoadedItems(quantityBelow quantity: Int32, cityPrefix: String) throws -> ItemChecksum

    /// Adds 1 to the quantity of every loaded item and writes each by its key, in one transaction.
    func updateLoadedItems() throws

    /// Adds 1 to the quantity of every item in the store by one UPDATE.
    func batchUpdate() throws

    /// Reads the items with these keys one by one, each by a select of its own, and every property once. Nothing of them is
    /// cached when it begins.
    ///
    /// - Parameter inTransaction: whether a peer makes all selects in one read transaction; else each opens and closes one.
    ///   The engine does the same either way: faults that are fired in a turn of a context's queue share one.
    func readItems(withKeys keys: [Int64], inTransaction: Bool) throws -> ItemChecksum

    /// Reads a page of items for each of these numbers: those from the number on in the order of their numbers, so many at
    /// most, and every property once. Every page is a request of its own, all of one shape, with no transaction around them.
    func readPages(from numbers: [Int64], rowCount: Int) throws -> ItemChecksum

    /// Fetches the first `rowCount` items in the order of their numbers and reads every property of each once, `times` times
    /// over, each time as if it had never been done.
    ///
    /// - Returns: the last page.
    func holdFirstPage(rowCount: Int, times: Int) throws -> HeldItems

    /// Closes all connections.
    func close() throws
}

/// How loaded items are read again and again: a few neighbours in turn, for all rounds, and then the next few.
///
/// After each read the compiler has to take memory for changed, so that it can neither keep what it has read for the next round
/// nor read several items at once. The few stay in the processor's first cache, since waiting for memory is no part of a read.
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

/// An item's ten properties, half of them texts: the row on which the aims were set, whose struct takes five allocations
/// and some 480 bytes.
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
    /// Reads every property once, as a cell does that shows the item.
    ///
    /// - Returns: the quantity.
    @discardableResult
    func readAll() -> Int32 {
        var checksum = ItemChecksum()
        checksum.add(self)
        return quantity
    }
}

/// An item as a value: what is inserted, and what a peer reads.
struct ItemRow: ItemValues, Sendable, Hashable {
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

/// What was read, so that a fast wrong answer is found out. Adding an item touches every property and no text's length
/// twice, so that it costs the same few nanoseconds whoever reads.
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

    /// What so many items add up to, where that is known; else something that no items do.
    init(itemCount: Int, sum: Int64?) {
        self.itemCount = sum == nil ? -1 : itemCount
        self.sum = UInt64(bitPattern: sum ?? 0)
    }

    /// An item of which only the number was read.
    @inline(__always)
    mutating func add(number: Int64) {
        itemCount += 1
        add(number)
    }

    /// An item of which only the city was read.
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
