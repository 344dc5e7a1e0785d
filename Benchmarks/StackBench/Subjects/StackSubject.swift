import Datasets
import Dispatch
import ObjectGraph
import Stacks
import Synchronization

/// A stack that works on the flights like an app: bulk work in a worker context, reads in the view
/// context.
final class StackSubject: FlightsSubject {
    let stack: any PersistenceStack

    private let importsInBatchContext: Bool

    init(_ kind: StackKind, _ configuration: SubjectConfiguration) throws {
        stack = try kind.make(configuration.stack(on: FlightsModel.make(configuration.indexes)))
        importsInBatchContext = configuration.importsInBatchContext
    }

    func settings(_ pragmas: [String]) throws -> [[String]] { try stack.settings(pragmas) }

    func countAirlines() throws -> Int {
        let view = try stack.viewContext
        return try view.performAndWait { try view.count(for: FetchRequest(entityName: "Airline")) }
    }

    func close() throws {
        try stack.close()
    }

    // MARK: Importing

    func importDataset(_ dataset: FlightsDataset, saveSize: Int) throws {
        try importDataset(dataset, saveSize: saveSize, inTwoPasses: false)
    }

    /// - Parameter inTwoPasses: whether all flights are saved first, and a second pass sets their
    ///   relationships.
    func importDataset(_ dataset: FlightsDataset, saveSize: Int, inTwoPasses: Bool) throws {
        let worker =
            importsInBatchContext ? try stack.makeBatchContext() : try stack.makeWorkerContext()
        try insert(dataset.airlines, saveSize, in: worker) { Airline(context: worker).take($0) }
        try insert(dataset.airports, saveSize, in: worker) { Airport(context: worker).take($0) }
        try insert(dataset.planes, saveSize, in: worker) { Plane(context: worker).take($0) }
        try insert(dataset.weather, saveSize, in: worker) { Weather(context: worker).take($0) }
        let destinations = Destinations(
            airlines: try identifiers(of: Airline.carrier, in: worker, Airline.self),
            airports: try identifiers(of: Airport.code, in: worker, Airport.self),
            planes: try identifiers(of: Plane.tailNumber, in: worker, Plane.self))
        try insert(dataset.flights, saveSize, in: worker) { row in
            let flight = Flight(context: worker)
            flight.take(row)
            guard !inTwoPasses else { return }
            destinations.connect(
                flight, carrier: row.carrier, origin: row.origin, destination: row.destination,
                tailNumber: row.tailNumber, in: worker)
        }
        if inTwoPasses { try connectFlights(to: destinations, saveSize, in: worker) }
        settle()
    }

    /// Sets the relationships of saved flights by the codes in their attributes.
    private func connectFlights(
        to destinations: Destinations, _ saveSize: Int, in context: ManagedObjectContext
    ) throws {
        var request = FetchRequest(entityName: "Flight")
        request.fetchBatchSize = saveSize
        try forEachFlight(of: request, in: context) { flight in
            destinations.connect(
                flight, carrier: flight[Flight.carrier], origin: flight[Flight.originCode],
                destination: flight[Flight.destinationCode],
                tailNumber: flight[Flight.tailNumber], in: context)
        }
    }

    /// Inserts objects in turns of the context's queue and saves each turn down to the disk.
    /// Refreshing then breaks the reference cycles of relationships, so that nothing keeps the
    /// objects.
    private func insert<Row: Sendable>(
        _ rows: [Row], _ saveSize: Int, in context: ManagedObjectContext,
        _ insertObject: @Sendable (Row) -> Void
    ) throws {
        for start in stride(from: 0, to: rows.count, by: saveSize) {
            context.performAndWait {
                for row in rows[start..<min(start + saveSize, rows.count)] { insertObject(row) }
            }
            try stack.saveToDisk(context)
            context.performAndWait { context.refreshAllObjects() }
        }
    }

    /// Fetches the identifiers of an entity's objects by the attribute that other rows refer to.
    private func identifiers<Object: ManagedObject>(
        of key: Attribute<String>, in context: ManagedObjectContext, _ type: Object.Type
    ) throws -> Identifiers<Object> {
        try context.performAndWait {
            let objects = try context.fetch(FetchRequest(entityName: "\(type)"), as: type)
            return Identifiers(objects.map { ($0[key], $0.objectID) })
        }
    }

    // MARK: Bulk work

    func insertFlights(_ flights: [FlightRow], by mode: BulkMode) throws {
        switch mode {
        case .loop(let saveSize):
            let worker = try stack.makeWorkerContext()
            try insert(flights, saveSize, in: worker) { Flight(context: worker).take($0) }
            settle()
        case .request:
            let position = Atomic(0)
            let request = BatchInsertRequest(entityName: "Flight") { row in
                let index = position.add(1, ordering: .relaxed).oldValue
                guard index < flights.count else { return true }
                Flight.set(flights[index], in: &row)
                return false
            }
            let context = try stack.makeBatchContext()
            _ = try context.performAndWait { try context.execute(request) }
        }
    }

    func delayFlights(byMinutes minutes: Int, by mode: BulkMode) throws {
        let departed = try ObjectPredicate("departureDelayMinutes != nil")
        switch mode {
        case .loop(let saveSize):
            var request = FetchRequest(entityName: "Flight", predicate: departed)
            request.fetchBatchSize = saveSize
            try forEachFlight(of: request, in: stack.makeWorkerContext()) { flight in
                flight.departureDelayMinutes = flight.departureDelayMinutes.map { $0 + minutes }
            }
            settle()
        case .request:
            let delay = ObjectExpression.function(
                "add:to:",
                [.keyPath("departureDelayMinutes"), .constant(.integer(Int64(minutes)))])
            let request = BatchUpdateRequest(
                entityName: "Flight", predicate: departed,
                propertiesToUpdate: ["departureDelayMinutes": delay])
            let context = try stack.makeBatchContext()
            _ = try context.performAndWait { try context.execute(request) }
        }
    }

    /// Changes flights, and saves after each batch that the request loads.
    private func forEachFlight(
        of request: FetchRequest, in context: ManagedObjectContext,
        _ change: @Sendable (Flight) -> Void
    ) throws {
        let stack = stack
        try context.performAndWait {
            let flights = try context.fetch(request, as: Flight.self)
            for (index, flight) in flights.enumerated() {
                change(flight)
                if (index + 1) % request.fetchBatchSize == 0 { try stack.saveToDisk(context) }
            }
            try stack.saveToDisk(context)
        }
    }

    // MARK: Reading

    /// Lets the view show all flights, as long as the list lives.
    func openList() throws -> FlightsList {
        let view = try stack.viewContext
        return try view.performAndWait { try FlightsList(in: view) }
    }

    /// Whether its view shows what workers have saved without fetching again.
    var followsSaves: Bool { stack.kind.visibility != .afterRefetch }

    func scrollFlights(batchSize: Int, maximumRowCount: Int?) throws -> FlightsChecksum {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("distance")])
        request.fetchBatchSize = batchSize
        return try read(request, in: stack.viewContext, maximumRowCount: maximumRowCount)
    }

    /// One dictionary with the count and the sum, like the SQL of the peers.
    static func totals(of question: PredicateQuestion) throws -> FetchRequest {
        var request = FetchRequest(
            entityName: "Flight", predicate: try ObjectPredicate(question.format))
        request.propertiesToFetch = [
            FetchedProperty(name: "count", expression: .function("count:", [.keyPath("distance")])),
            FetchedProperty(name: "miles", expression: .function("sum:", [.keyPath("distance")])),
        ]
        return request
    }

    func findFlights(_ question: PredicateQuestion) throws -> FlightsChecksum {
        let view = try stack.viewContext
        let totals = try Self.totals(of: question)
        return try view.performAndWait {
            let row = try view.fetchDictionaries(totals).first ?? [:]
            return FlightsChecksum(
                rowCount: Int(row["count"]?.integer ?? 0),
                distanceMiles: Int(row["miles"]?.integer ?? 0))
        }
    }

    private func read(
        _ request: FetchRequest, in context: ManagedObjectContext, maximumRowCount: Int? = nil
    ) throws -> FlightsChecksum {
        try context.performAndWait {
            var checksum = FlightsChecksum(rowCount: 0, distanceMiles: 0)
            for flight in try context.fetch(request, as: Flight.self).prefix(
                maximumRowCount ?? .max)
            {
                checksum.rowCount += 1
                checksum.distanceMiles += flight.distance
            }
            return checksum
        }
    }
}

extension StackSubject: UnsavedFlightsSubject {
    func insertUnsavedFlights(_ flights: [FlightRow]) throws {
        let context = try unsavedContext
        context.performAndWait {
            for row in flights { Flight(context: context).take(row) }
        }
    }

    /// The view, or the writer's context if the view only reads.
    private var unsavedContext: ManagedObjectContext {
        get throws {
            stack.kind.traits.contains(.viewOnlyReads)
                ? try stack.makeWorkerContext() : try stack.viewContext
        }
    }

    func findUnsavedFlights(_ question: PredicateQuestion) throws -> FlightsChecksum {
        try read(
            FetchRequest(entityName: "Flight", predicate: try ObjectPredicate(question.format)),
            in: unsavedContext)
    }

    func saveUnsavedFlights() throws {
        try stack.saveToDisk(unsavedContext)
    }
}

/// Counts the work of a stack.
protocol StackCounting: CountingSubject {
    var stack: any PersistenceStack { get }
}

extension StackCounting {
    // An error of the stack's own save shows later as a missing row in the store.
    func settle() { try? stack.settle() }

    var counters: [String: Int64] { stack.counters.byMetric }

    func resetCounters() {
        for coordinator in stack.coordinators { coordinator.resetCounters() }
    }
}

extension StackSubject: StackCounting {}

/// A stack on a workload's own model.
struct CountedStack: StackCounting {
    let stack: any PersistenceStack
}

extension PersistenceStack {
    /// Refreshes the view and blocks, for threads outside Swift concurrency.
    func refreshViewAndWait() throws {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Void, any Error>>(.success(()))
        Task {
            do {
                try await refreshView()
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        try result.withLock { try $0.get() }
    }

    /// The values of pragmas on the writing connection of each coordinator.
    func settings(_ pragmas: [String]) throws -> [[String]] {
        try coordinators.flatMap { coordinator in
            try coordinator.persistentStores.map { try coordinator.settings(pragmas, of: $0) }
        }
    }
}

extension PersistentStoreCoordinator {
    func settings(
        _ pragmas: [String], of store: PersistentStoreHandle
    ) throws -> [String] {
        try pragmas.map { try pragma($0, of: store) }
    }
}

extension WorkerContext {
    /// Opens the job's stack at ``storeURL`` on a workload's own model.
    ///
    /// - Throws: what the stack throws when it is opened; an error with the name of the subject if
    ///   that is not a stack.
    public func openStack(on model: ManagedObjectModel) throws -> any PersistenceStack {
        let stack = try opening(\.openStack)(configuration.stack(on: model))
        // A stack may open its store at the first use; this keeps that out of the measurement.
        _ = try stack.viewContext
        try configuration.check { try stack.settings($0) }
        return stack
    }

    /// Opens the job's stack; see ``openSubject(isWritten:preparing:)``.
    func openStack(isWritten: Bool) throws -> StackSubject {
        guard let stack = try openSubject(isWritten: isWritten) as? StackSubject else {
            preconditionFailure("The kind \(job.kind) declares subjects that are not stacks.")
        }
        return stack
    }
}

extension SubjectConfiguration {
    func stack(on model: ManagedObjectModel) -> StackConfiguration {
        StackConfiguration(
            model: model, location: .sqlite(storeURL), lockPolicy: coordinatorLockPolicy,
            pragmas: pragmas, tracksHistory: tracksHistory,
            mergePolicy: contextMergePolicy)
    }

    /// The name was checked when the workload was read.
    fileprivate var contextMergePolicy: MergePolicy {
        guard let kind = MergePolicy.Kind.allCases.first(where: { "\($0)" == mergePolicy }) else {
            preconditionFailure("There is no merge policy \(mergePolicy).")
        }
        return MergePolicy(kind)
    }

    /// The name was checked when the workload was read.
    var coordinatorLockPolicy: LockPolicy {
        guard let policy = LockPolicy(rawValue: lockPolicy) else {
            preconditionFailure("There is no lock policy \(lockPolicy).")
        }
        return policy
    }
}

/// The identifiers of saved objects by code, usable in any context.
private struct Identifiers<Object: ManagedObject>: Sendable {
    private let identifiers: [String: ManagedObjectID]

    init(_ pairs: [(String, ManagedObjectID)]) {
        identifiers = Dictionary(uniqueKeysWithValues: pairs)
    }

    func object(for code: String, in context: ManagedObjectContext) -> Object? {
        identifiers[code].flatMap { context.object(with: $0) as? Object }
    }
}

/// The airlines, airports and planes of flights.
private struct Destinations: Sendable {
    let airlines: Identifiers<Airline>
    let airports: Identifiers<Airport>
    let planes: Identifiers<Plane>

    func connect(
        _ flight: Flight, carrier: String, origin: String, destination: String,
        tailNumber: String?, in context: ManagedObjectContext
    ) {
        flight[Flight.airline] = airlines.object(for: carrier, in: context)
        flight[Flight.origin] = airports.object(for: origin, in: context)
        flight[Flight.destination] = airports.object(for: destination, in: context)
        if let tailNumber {
            flight[Flight.plane] = planes.object(for: tailNumber, in: context)
        }
    }
}

extension Subject {
    init(stack kind: StackKind) {
        self.init(
            name: kind.name, group: .stack, summary: kind.summary,
            openFlights: { try StackSubject(kind, $0) }, openLoad: { try StackLoad(kind, $0) },
            openStack: { try kind.make($0) })
    }
}
