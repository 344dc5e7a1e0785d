import Measuring
import ObjectGraph
import Stacks

/// Measures how soon the view shows what a worker has saved, and how soon it is in the file.
///
/// A worker changes a flight that the view shows and saves as a user of the stack would: with
/// `save` if saves propagate, otherwise with `saveToDisk`. Both latencies count from the start of
/// the save.
enum VisibilityWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let saveCount = context.integer("saves")
        let subject = try context.openStack(isWritten: true)
        let shown = try ShownFlight(subject.stack, StoreReader(context.storeURL))
        var sample = try context.measure(subject, rowCount: saveCount, repeats: true) {
            for _ in 0..<saveCount { try shown.changeAndSave() }
        }
        sample.latencies["shown"] = shown.shownLatencies.summary
        sample.latencies["durable"] = shown.durableLatencies.summary
        try subject.close()

        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check(
            "the last change", try shown.savedValue(store),
            equals: saveCount * context.operationCount)
        verifier.check("changes late in the file", shown.lateCount, equals: 0)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

/// A flight that the view shows and a worker changes.
private final class ShownFlight: @unchecked Sendable {
    // @unchecked Sendable: the shown object is used only on the view's queue. Other state is
    // changed only by the saving thread, which waits for the effects of each save.

    private(set) var shownLatencies = LatencyRecorder()
    private(set) var durableLatencies = LatencyRecorder()
    /// How often the file did not have a change that the stack had reported as saved.
    private(set) var lateCount = 0
    private let stack: any PersistenceStack
    private let worker: ManagedObjectContext
    private let store: StoreReader
    private let flight: ManagedObjectID
    private var shown: Flight?
    private let isShown = Arrival("show")
    private let isDurable = Arrival("store")
    private var observations: [Observation] = []
    private var value = 0

    /// - Parameter store: reads the file independently of the stack.
    init(_ stack: any PersistenceStack, _ store: StoreReader) throws {
        self.stack = stack
        self.store = store
        worker = try stack.makeWorkerContext()
        let view = try stack.viewContext
        flight = try view.performAndWait { try Self.fetchFirst(in: view).objectID }
        try view.performAndWait { shown = try Self.fetchFirst(in: view) }
        if stack.kind.visibility != .afterRefetch {
            observations.append(view.observe { [weak self] in self?.viewPosted($0) })
        }
        if stack.kind.traits.contains(.savesPropagate), let root = worker.root {
            observations.append(
                root.observe { [isDurable] notification in
                    if case .didSave = notification { isDurable.note { _ in true } }
                })
        }
    }

    /// Reads the values, as a list does: the view does not report changes of a fault.
    private static func fetchFirst(in view: ManagedObjectContext) throws -> Flight {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("distance")])
        request.fetchLimit = 1
        let flight = try view.fetch(request, as: Flight.self)[0]
        _ = flight.departureDelayMinutes
        return flight
    }

    /// Called on the view's queue.
    private func viewPosted(_ notification: ContextNotification) {
        guard case .objectsDidChange(let changes) = notification,
            changes.updated.contains(flight) || changes.refreshed.contains(flight)
        else { return }
        isShown.note { shown?.departureDelayMinutes == $0 }
    }

    /// Makes and saves one change, and waits until the view shows it and the file has it.
    func changeAndSave() throws {
        value += 1
        isShown.expect(value)
        isDurable.expect(value)
        let propagates = stack.kind.traits.contains(.savesPropagate)
        let start = try worker.performAndWait {
            let flight = try worker.existingObject(with: flight) as? Flight
            flight?.departureDelayMinutes = value
            let start = Stopwatch.nanoseconds()
            if propagates { try worker.save() } else { try stack.saveToDisk(worker) }
            return start
        }
        if !propagates { isDurable.note { _ in true } }
        if stack.kind.visibility == .afterRefetch { try refetch() }
        shownLatencies.record(intendedAt: start, completedAt: try isShown.wait())
        durableLatencies.record(intendedAt: start, completedAt: try isDurable.wait())
        if try savedValue(store) != value { lateCount += 1 }
    }

    /// Refetches, as the user of a stack without merges does.
    private func refetch() throws {
        try stack.refreshViewAndWait()
        let view = try stack.viewContext
        try view.performAndWait {
            shown = try Self.fetchFirst(in: view)
            isShown.note { shown?.departureDelayMinutes == $0 }
        }
    }

    func savedValue(_ store: StoreReader) throws -> Int {
        let key = flight.uriRepresentation.lastPathComponent.dropFirst()
        return try store.integer("SELECT ZDEPARTUREDELAYMINUTES FROM ZFLIGHT WHERE Z_PK = \(key)")
    }
}

extension ManagedObjectContext {
    /// The topmost ancestor; nil for a context without a parent.
    fileprivate var root: ManagedObjectContext? {
        parent.map { $0.root ?? $0 }
    }
}

extension WorkloadKind {
    static let visibility = WorkloadKind(
        name: "visibility", summary: "how long until a save shows in the view and is in the file",
        subjects: [.stack], data: .storedFlights, work: .contended,
        parameters: [
            WorkloadParameter(
                name: "saves", values: .integer(20...1_000_000), defaultValue: "1000",
                summary: "saves of one change each; a p99 needs 1,000")
        ],
        primaryMetric: Metric("shown.p50", title: "shown p50", unit: .nanoseconds),
        extraMetrics: [
            Metric("shown.p99", title: "shown p99", unit: .nanoseconds),
            Metric("durable.p50", title: "durable p50", unit: .nanoseconds),
            Metric("durable.p99", title: "durable p99", unit: .nanoseconds),
        ],
        latencies: ["shown", "durable"],
        run: VisibilityWorkload.run)
}
