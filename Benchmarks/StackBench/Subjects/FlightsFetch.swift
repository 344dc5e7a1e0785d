import Measuring
import ObjectGraph
import Stacks

/// Fetches all flights in the view context, or in a context below it, and measures the fetch and
/// the reads that follow.
struct FlightsFetch: Sendable {
    /// How the flights are fetched.
    enum Form: String, CaseIterable {
        /// Keys only: the first read of each object costs a statement.
        case faultsOnly = "faults-only"
        /// Faults whose rows are cached.
        case cachedFaults = "default"
        case objects
        /// Keys, then faults with their rows, one page at a time.
        case batches
        /// Objects with their airlines and planes prefetched; these are read too.
        case prefetch
        /// The same reads as ``prefetch``, without prefetching.
        case noPrefetch = "no-prefetch"
        case dictionaries = "dictionary"
        /// Object IDs: each object costs a statement when it is read.
        case identifiers = "ids"
        /// Fetched without an order, then sorted in memory.
        case sortedInMemory = "sorted-in-memory"
    }

    /// Which of the flights are read after the fetch.
    enum Touch: String, CaseIterable {
        case none = "0"
        /// The first ten of every hundred.
        case tenth = "10"
        case all = "100"
        /// As many as a screen shows.
        case page

        func contains(_ index: Int) -> Bool {
            switch self {
            case .none: false
            case .tenth: index % 100 < 10
            case .all: true
            case .page: index < FlightsFetch.pageRowCount
            }
        }

        /// The same condition in SQL, for a column `position`.
        var sqlCondition: String {
            switch self {
            case .none: "0"
            case .tenth: "position % 100 < 10"
            case .all: "1"
            case .page: "position < \(FlightsFetch.pageRowCount)"
            }
        }
    }

    struct Result: Sendable {
        var rowCount = 0
        var touched = FlightsChecksum(rowCount: 0, distanceMiles: 0)
        var fetchSeconds = 0.0
        var touchSeconds = 0.0
        /// The memory left by the fetch before the reads; for the first fetch, SQLite's page cache
        /// too.
        var liveBytes = 0
        var touchStatements: Int64 = 0
    }

    static let pageRowCount = 20

    private let form: Form
    private let touch: Touch
    /// The number of contexts below the view; the last one fetches, or the view if there is none.
    private let depth: Int

    init(_ form: Form, _ touch: Touch, depth: Int) {
        self.form = form
        self.touch = touch
        self.depth = depth
    }

    /// The memory that the result alone keeps before the reads.
    ///
    /// Fetches again on a stack on which this fetch has run: the objects of that run are released
    /// first, but SQLite's page cache stays filled.
    func liveBytes(afterRunOn stack: any PersistenceStack) throws -> Int {
        for level in try sequence(first: stack.viewContext, next: \.parent) {
            level.performAndWait { level.reset() }
        }
        return try FlightsFetch(form, .none, depth: depth).run(on: stack).liveBytes
    }

    func run(on stack: any PersistenceStack) throws -> Result {
        let context = (0..<depth).reduce(try stack.viewContext) { parent, _ in
            ManagedObjectContext(.privateQueue, parent: parent)
        }
        return try context.performAndWait {
            switch form {
            case .dictionaries:
                try measure(stack, { try context.fetchDictionaries(request) }) { row, result in
                    result.distanceMiles += Int(row["distance"]?.integer ?? 0)
                }
            case .identifiers:
                try measure(stack, { try context.fetchObjectIDs(request) }) { id, result in
                    result.distanceMiles += (context.object(with: id) as? Flight)?.distance ?? 0
                }
            case .prefetch, .noPrefetch:
                try measure(stack, { try context.fetch(request, as: Flight.self) }) {
                    flight, result in
                    result.distanceMiles += flight.distance
                    _ = flight[Flight.airline]?[Airline.name]
                    _ = flight[Flight.plane]?[Plane.seatCount]
                }
            case .sortedInMemory:
                try measure(
                    stack,
                    {
                        try context.fetch(request, as: Flight.self)
                            .sorted { $0.distance < $1.distance }
                    }
                ) { flight, result in
                    result.distanceMiles += flight.distance
                }
            case .faultsOnly, .cachedFaults, .objects, .batches:
                try measure(stack, { try context.fetch(request, as: Flight.self) }) {
                    flight, result in
                    result.distanceMiles += flight.distance
                }
            }
        }
    }

    private var request: FetchRequest {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("distance")])
        switch form {
        case .faultsOnly, .identifiers: request.includesPropertyValues = false
        case .cachedFaults, .noPrefetch: break
        case .objects: request.returnsObjectsAsFaults = false
        case .batches: request.fetchBatchSize = Self.pageRowCount
        case .prefetch: request.relationshipKeyPathsForPrefetching = ["airline", "plane"]
        case .dictionaries: request.propertiesToFetch = ["distance", "tailNumber"]
        case .sortedInMemory: request.sortKeys = []
        }
        return request
    }

    private func measure<Elements: RandomAccessCollection>(
        _ stack: any PersistenceStack, _ fetch: () throws -> Elements,
        touching: (Elements.Element, inout FlightsChecksum) -> Void
    ) throws -> Result where Elements.Index == Int {
        var result = Result()
        let liveBytesBefore = Allocator.liveBytes()
        let fetchWatch = Stopwatch()
        let elements = try fetch()
        result.fetchSeconds = fetchWatch.elapsedSeconds
        result.liveBytes = Allocator.liveBytes() - liveBytesBefore
        result.rowCount = elements.count

        let statementsBefore = stack.counters.statements
        let touchWatch = Stopwatch()
        for index in elements.indices where touch.contains(index) {
            result.touched.rowCount += 1
            touching(elements[index], &result.touched)
        }
        result.touchSeconds = touchWatch.elapsedSeconds
        result.touchStatements = stack.counters.statements - statementsBefore
        return result
    }
}
