/// What a load is put on: a stack or a peer, opened on a store of items that are numbered from 1.
protocol LoadSubject: InspectableSubject, Sendable {
    /// A writer of its own for a client, to be used by one thread at a time.
    func makeWriter() throws -> any LoadWriter

    /// A reader of its own for a client, to be used by one thread at a time.
    ///
    /// - Parameter index: counted from 0. The first one of a stack reads in its view, the others in
    ///   the background.
    func makeReader(_ index: Int) throws -> any LoadReader

    /// Whether readers see what was saved before they began. A stack that leaves it to the app to
    /// refetch does not promise it, and its stale reads are counted but not wrong.
    var promisesFreshReads: Bool { get }

    /// The quantities that the view shows at rest, by number; nil without a view.
    func shownQuantities() throws -> [Int64: Int32]?

    /// What it has counted, by ``Metric/name``, since it was opened.
    var counters: [String: Int64] { get }

    /// Whether what it was told to write can be read back from the store.
    var storesItems: Bool { get }

    func close() throws
}

extension LoadSubject {
    var promisesFreshReads: Bool { true }
    func shownQuantities() throws -> [Int64: Int32]? { nil }
    var counters: [String: Int64] { [:] }
    var storesItems: Bool { true }
}

/// What became of a write.
enum WriteResult {
    /// All of it is saved.
    case saved
    /// Somebody else changed an item meanwhile. Nothing was saved, and the writer can try again.
    case conflict
}

/// Each call is one save.
protocol LoadWriter: AnyObject {
    /// Inserts items with these numbers.
    func insert(_ items: [ItemRow]) throws -> WriteResult

    /// Adds 1 to the quantity of each.
    func update(_ numbers: [Int64]) throws -> WriteResult

    func delete(_ numbers: [Int64]) throws -> WriteResult
}

protocol LoadReader: AnyObject {
    /// The quantity of an item after all of its properties were read; nil if there is no such item.
    func read(_ number: Int64) throws -> Int32?

    /// The numbers of the first ``LoadWorkload/pageLength`` items from a number on, in ascending order,
    /// after all properties of each were read.
    func page(from number: Int64) throws -> [Int64]

    /// How many items have a quantity of 0 or more, which is all of them, but there is no index on it.
    func count() throws -> Int
}
