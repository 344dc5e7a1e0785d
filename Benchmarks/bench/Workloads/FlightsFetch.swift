import Benchmarking
import ObjectGraph
import Stacks

/// One fetch of all flights by the view context, and what it costs to read some of them afterwards.
struct FlightsFetch: Sendable {
    /// In which form the flights are fetched.
    enum Form: String {
        /// Only keys: every object costs a statement when first read.
        case faultsOnly = "faults-only"
        /// Faults whose rows are cached.
        case cachedFaults = "default"
        case objects
        /// Objects whose airlines and planes are loaded as well, and touched with them.
        case prefetch
        case dictionaries = "dictionary"
        /// Each of which costs a statement when its object is read.
        case identifiers = "ids"
    }

    struct Result: Sendable {
        var rowCount = 0
        var touched = FlightsChecksum(rowCount: 0, distanceMiles: 0)
        var fetchSeconds = 0.0
        var touchSeconds = 0.0
        /// What the fetched result keeps in memory before anything is touched.
        var liveBytes = 0
        var touchStatements: Int64 = 0
    }

    private let form: Form
    /// Of every hundred flights, in their order, the first so many.
    private let touchedPercent: Int

    init(_ form: Form, touchedPercent: Int) {
        self.form = form
        self.touchedPercent = touchedPercent
    }

    func run(on stack: any PersistenceStack) throws -> Result {
        let view = try stack.viewContext
        return try view.performAndWait {
            switch form {
            case .dictionaries:
                try measure(stack, { try view.fetchDictionaries(request) }) { row, result in
                    result.distanceMiles += Int(row["distance"]?.integer ?? 0)
                }
            case .identifiers:
                try measure(stack, { try view.fetchObjectIDs(request) }) { id, result in
                    result.distanceMiles += (view.object(with: id) as? Flight)?.distance ?? 0
                }
            case .prefetch:
                try measure(stack, { try view.fetch(request, as: Flight.self) }) { flight, result in
                    result.distanceMiles += flight.distance
                    _ = flight[Flight.airline]?[Airline.name]
                    _ = flight[Flight.plane]?[Plane.seatCount]
                }
            case .faultsOnly, .cachedFaults, .objects:
                try measure(stack, { try view.fetch(request, as: Flight.self) }) { flight, result in
                    result.distanceMiles += flight.distance
                }
            }
        }
    }

    private var request: FetchRequest {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("distance")])
        switch form {
        case .faultsOnly, .identifiers: request.includesPropertyValues = false
        case .cachedFaults: break
        case .objects: request.returnsObjectsAsFaults = false
        case .prefetch: request.relationshipKeyPathsForPrefetching = ["airline", "plane"]
        case .dictionaries: request.propertiesToFetch = ["distance", "tailNumber"]
        }
        return request
    }

    private func measure<Elements: RandomAccessCollection>(
        _ stack: any PersistenceStack, _ fetch: () throws -> Elements,
        touch: (Elements.Element, inout FlightsChecksum) -> Void
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
        for index in elements.indices where index % 100 < touchedPercent {
            result.touched.rowCount += 1
            touch(elements[index], &result.touched)
        }
        result.touchSeconds = touchWatch.elapsedSeconds
        result.touchStatements = stack.counters.statements - statementsBefore
        return result
    }
}
