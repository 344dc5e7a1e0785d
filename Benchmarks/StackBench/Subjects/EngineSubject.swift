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
