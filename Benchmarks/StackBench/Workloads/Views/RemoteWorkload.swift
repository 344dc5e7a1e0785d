import Measuring
import ObjectGraph
import Stacks
import Synchronization

/// Measures how soon the view shows what another process has saved.
///
/// A stack that follows the store's history is left alone. For the others the program refreshes
/// the view and fetches again, after the other process has answered that it saved. All latencies
/// count from the start of the save.
enum RemoteWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let saveCount = context.integer("saves")
        try context.placeStore(isWritten: true)
        // A stack that keeps a history has also recorded the import of the flights.
        let earlierUpdates = try StoreReader(context.storeURL).changeCount(of: .update)
        var configuration = context.configuration
        configuration.tracksHistory = true
        let stack = try context.opening(\.openStack)(
            configuration.stack(on: try FlightsModel.make(context.job.indexes)))
        try configuration.check { try stack.settings($0) }
        let writer = try RemoteWriter(configuration)
        let page = try RemotePage(stack, writer, flightCount: context.integer("shown"))
        var sample = try context.measure(stack, rowCount: saveCount, repeats: true) {
            for _ in 0..<saveCount { try page.changeAndWait() }
        }
        sample.latencies = page.latencies
        try writer.close()
        try stack.close()

        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        let changeCount = saveCount * context.operationCount
        verifier.check(
            "updates in the history", try store.changeCount(of: .update) - earlierUpdates,
            equals: changeCount)
        verifier.check(
            "the last change", try page.savedValue(store),
            equals: RemotePage.firstValue + changeCount - 1)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// The flights that the view shows; another process changes one after the other.
private final class RemotePage: @unchecked Sendable {
    // @unchecked Sendable: `shown` is used only on the view's queue. Other state is changed only by
    // the measuring thread, which waits for the effects of each save.

    /// No flight is delayed as long, so that each save changes its flight.
    static let firstValue = 1_000_000

    private let stack: any PersistenceStack
    private let writer: RemoteWriter
    private let flights: [ManagedObjectID]
    private var shown: [ManagedObjectID: Flight] = [:]
    private var value = firstValue - 1
    private var changed: ManagedObjectID
    private let isShown = Arrival("show")
    private let isNotified = Arrival("report")
    private var observations: [Observation] = []
    private var shownLatencies = LatencyRecorder()
    private var notifiedLatencies = LatencyRecorder()
    private var committedLatencies = LatencyRecorder()

    init(_ stack: any PersistenceStack, _ writer: RemoteWriter, flightCount: Int) throws {
        self.stack = stack
        self.writer = writer
        let view = try stack.viewContext
        let page = Self.request(flightCount)
        flights = try view.performAndWait { try view.fetchObjectIDs(page) }
        guard let first = flights.first else { throw WorkerFailure(reason: "there are no flights") }
        changed = first
        try fetch()
        guard followsByItself else { return }
        observations.append(view.observe { [weak self] in self?.viewPosted($0) })
        let lastToken = Mutex<PersistentHistoryToken?>(nil)
        observations.append(
            stack.coordinators[0].observe { [isNotified] notification in
                guard case .remoteChange(let change) = notification else { return }
                // Not a second notification of the change before.
                let isNew = lastToken.withLock { last in
                    defer { last = change.historyToken }
                    return last != change.historyToken
                }
                if isNew { isNotified.note { _ in true } }
            })
    }

    private var followsByItself: Bool { stack.kind.traits.contains(.followsHistory) }

    var latencies: [String: LatencySummary] {
        var latencies = ["shown": shownLatencies.summary, "committed": committedLatencies.summary]
        if followsByItself { latencies["notified"] = notifiedLatencies.summary }
        return latencies.compactMapValues(\.self)
    }

    private static func request(_ flightCount: Int) -> FetchRequest {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("distance")])
        request.fetchLimit = flightCount
        return request
    }

    /// Reads the values, as a list does: the view does not report changes of a fault.
    private func fetch() throws {
        let view = try stack.viewContext
        let request = Self.request(flights.count)
        try view.performAndWait {
            let page = try view.fetch(request, as: Flight.self)
            for flight in page { _ = flight.departureDelayMinutes }
            shown = Dictionary(uniqueKeysWithValues: page.map { ($0.objectID, $0) })
            noteIfShown()
        }
    }

    /// Called on the view's queue.
    private func viewPosted(_ notification: ContextNotification) {
        guard case .objectsDidChange = notification else { return }
        noteIfShown()
    }

    private func noteIfShown() {
        isShown.note { shown[changed]?.departureDelayMinutes == $0 }
    }

    /// Has the other process make one change, and waits until the view shows it.
    func changeAndWait() throws {
        let view = try stack.viewContext
        // On the view's queue, which reads `changed`.
        view.performAndWait {
            changed = flights[value % flights.count]
            value += 1
        }
        isShown.expect(value)
        if followsByItself { isNotified.expect(value) }
        let save = try writer.save(
            RemoteWriter.Change(flight: changed.uriRepresentation, departureDelayMinutes: value))
        committedLatencies.record(
            intendedAt: save.startNanoseconds, completedAt: save.endNanoseconds)
        if followsByItself {
            notifiedLatencies.record(
                intendedAt: save.startNanoseconds, completedAt: try isNotified.wait())
        } else {
            try stack.refreshViewAndWait()
            try fetch()
        }
        shownLatencies.record(intendedAt: save.startNanoseconds, completedAt: try isShown.wait())
    }

    /// The delay in the file of the flight that was changed last.
    func savedValue(_ store: StoreReader) throws -> Int {
        let key = changed.uriRepresentation.lastPathComponent.dropFirst()
        return try store.integer("SELECT ZDEPARTUREDELAYMINUTES FROM ZFLIGHT WHERE Z_PK = \(key)")
    }
}

extension WorkloadKind {
    static let remote = WorkloadKind(
        name: "remote", summary: "how long until the view shows what another process has saved",
        subjects: [.stack], data: .storedFlights, work: .contended,
        parameters: [
            WorkloadParameter(
                name: "saves", values: .integer(20...1_000_000), defaultValue: "300",
                summary: "saves of one change each; a p99 needs 1,000"),
            WorkloadParameter(
                name: "shown", values: .integer(1...100_000), defaultValue: "100",
                summary: "flights that the view shows"),
        ],
        primaryMetric: Metric("shown.p50", title: "shown p50", unit: .nanoseconds),
        extraMetrics: [
            Metric("shown.p99", title: "shown p99", unit: .nanoseconds),
            Metric("notified.p50", title: "notified p50", unit: .nanoseconds),
            Metric("committed.p50", title: "committed p50", unit: .nanoseconds),
        ],
        latencies: ["shown", "notified", "committed"],
        run: RemoteWorkload.run)
}
