/// A stack or a peer under load, opened on a store of items that are numbered from 1.
protocol LoadSubject: InspectableSubject, Sendable {
    /// Makes a writer for one client, used by one thread at a time.
    func makeWriter() throws -> any LoadWriter

    /// Makes a reader for one client, used by one thread at a time.
    ///
    /// - Parameter index: from 0. A stack's first reader reads in its view, the others in the
    ///   background.
    func makeReader(_ index: Int) throws -> any LoadReader

    /// Whether readers see everything that was saved before they began. Stacks that leave the
    /// refetch to the app do not promise it; their stale reads are counted, but are not wrong.
    var promisesFreshReads: Bool { get }

    /// The quantities that the view shows after all merges, by number; nil without a view.
    func shownQuantities() throws -> [Int64: Int32]?

    /// Whether written items can be read back from the store.
    var storesItems: Bool { get }

    func close() throws
}

extension LoadSubject {
    var promisesFreshReads: Bool { true }
    func shownQuantities() throws -> [Int64: Int32]? { nil }
    var storesItems: Bool { true }
}

/// The result of a write.
enum WriteResult {
    /// Everything is saved.
    case saved
    /// Another writer changed an item first. Nothing was saved; the write can be repeated.
    case conflict
}

/// Writes items. Each call is one save.
protocol LoadWriter: AnyObject {
    /// Inserts these items.
    func insert(_ items: [ItemRow]) throws -> WriteResult

    /// Adds 1 to the quantity of each item.
    func update(_ numbers: [Int64]) throws -> WriteResult

    func delete(_ numbers: [Int64]) throws -> WriteResult
}

protocol LoadReader: AnyObject {
    /// Reads all properties of an item and returns its quantity; nil if the item does not exist.
    func read(_ number: Int64) throws -> Int32?

    /// Reads all properties of the first ``LoadPage/itemCount`` items from a number on and
    /// returns their numbers in ascending order.
    func page(from number: Int64) throws -> [Int64]

    /// Counts the items with a quantity of 0 or more. These are all items, but no index serves the
    /// condition.
    func count() throws -> Int
}

/// The page that a load reads.
enum LoadPage {
    static let itemCount = 50
}
