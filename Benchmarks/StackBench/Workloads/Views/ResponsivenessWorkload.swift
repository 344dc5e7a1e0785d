import Dispatch
import Measuring
import ObjectGraph

/// Imports all tables in the background while heartbeats run on the main queue and the view context
/// reads a page at intervals.
///
/// Each heartbeat and each read is due at a fixed time, however late the previous one was. Its
/// latency counts from that time, so that no wait is hidden.
enum ResponsivenessWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let dataset = try context.loadDataset()
        let subject = try context.openStack(isWritten: true)
        let view = try subject.stack.viewContext
        let heartbeat = LatencyProbe(
            everyMilliseconds: context.integer("heartbeatIntervalMilliseconds")
        ) { completion in
            DispatchQueue.main.async { completion(.success(())) }
        }
        let reader = LatencyProbe(
            everyMilliseconds: context.integer("readerIntervalMilliseconds")
        ) { completion in
            view.perform { completion(Result { try readPage(of: view) }) }
        }

        var sample = try context.measure(subject, rowCount: dataset.facts.rowCount) {
            heartbeat.start()
            reader.start()
            try subject.importDataset(
                dataset, saveSize: context.integer("saveSize"),
                inTwoPasses: context.integer("passes") == 2)
        }
        let beats = try heartbeat.stop()
        sample.latencies["mainQueue"] = beats
        sample[.mainQueueBusy] = beats.map {
            busySeconds(
                $0, intervalMilliseconds: context.integer("heartbeatIntervalMilliseconds"))
        }
        sample[.mainQueueLate] = beats.map(lateSeconds)
        sample.latencies["reader"] = try reader.stop()
        try subject.close()

        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        try verifier.checkImport(of: dataset, into: store)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    /// The time in which the main queue did not answer before the next beat was due: the number of
    /// such beats times their interval.
    private static func busySeconds(
        _ beats: LatencySummary, intervalMilliseconds: Int
    ) -> Double {
        let late = beats.count(beyond: UInt64(intervalMilliseconds) * 1_000_000)
        return Double(late) * Double(intervalMilliseconds) / 1_000
    }

    /// A stall that goes unnoticed: an eighth of a frame at 60 Hz.
    private static let unnoticedNanoseconds: UInt64 = 2_000_000

    /// How much of each second the main queue would have answered later than is noticed: the share of
    /// such beats, since each stands for the same time.
    private static func lateSeconds(_ beats: LatencySummary) -> Double {
        Double(beats.count(beyond: unnoticedNanoseconds)) / Double(beats.count)
    }

    /// Fetches what a list shows first: the longest flights, and reads the properties of a cell.
    private static func readPage(of view: ManagedObjectContext) throws {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.descending("distance")])
        request.fetchLimit = PagingWorkload.firstPageRowCount
        for flight in try view.fetch(request, as: Flight.self) {
            _ = flight.distance
            _ = flight[Flight.tailNumber]
        }
    }
}

extension WorkloadKind {
    static let responsiveness = WorkloadKind(
        name: "responsiveness",
        summary: "how late the main queue is while an import runs in the background",
        subjects: [.stack], work: .contended,
        parameters: [
            .saveSize, .context,
            WorkloadParameter(
                name: "passes", values: .integer(1...2), defaultValue: "1",
                summary: "2: flights are saved first, a second pass sets their relationships"),
            WorkloadParameter(
                name: "heartbeatIntervalMilliseconds", values: .integer(1...1_000),
                defaultValue: "4", summary: "time between heartbeats of the main queue"),
            WorkloadParameter(
                name: "readerIntervalMilliseconds", values: .integer(1...10_000),
                defaultValue: "50", summary: "time between fetches by the view context"),
        ],
        primaryMetric: Metric("mainQueue.p99", title: "main queue p99", unit: .nanoseconds),
        extraMetrics: [
            Metric("mainQueue.p50", title: "main queue p50", unit: .nanoseconds),
            Metric("mainQueue.max", title: "main queue longest", unit: .nanoseconds),
            Metric("reader.p50", title: "reader p50", unit: .nanoseconds),
            Metric("reader.max", title: "reader longest", unit: .nanoseconds),
            .mainQueueBusy, .mainQueueLate,
        ],
        latencies: ["mainQueue", "reader"],
        run: ResponsivenessWorkload.run)
}

extension Metric {
    fileprivate static let mainQueueBusy = Metric(
        "mainQueueBusy", title: "main queue busy", unit: .seconds)
    fileprivate static let mainQueueLate = Metric(
        "mainQueueLate", title: "main queue late each second", unit: .seconds)
}

extension LatencySummary {
    /// How many values are longer.
    fileprivate func count(beyond nanoseconds: UInt64) -> UInt64 {
        buckets.entries.reduce(0) { $0 + ($1.nanoseconds > nanoseconds ? $1.count : 0) }
    }
}
