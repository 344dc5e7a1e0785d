import Measuring
import ObjectGraph
import Stacks

/// Opens a stack on a store of flights and fetches the first page of a list, repeatedly.
///
/// A stack that opens lazily is returned immediately; the first request waits.
enum OpeningWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let open = try context.opening(\.openStack)
        let rowCount = min(context.facts.flightCount, PagingWorkload.firstPageRowCount)
        // The first opening of the process is not measured, but its settings are checked.
        try context.openStack(isWritten: false).close()
        var configuration = context.configuration.stack(
            on: try FlightsModel.make(context.job.indexes))
        configuration.opening = context.text("way") == "lazy" ? .lazy : .eager

        var opened = LatencyRecorder()
        var answered = LatencyRecorder()
        var wrongAnswers = 0
        let expected = try firstPageMiles(StoreReader(context.storeURL), rowCount)
        let times = context.integer("times")
        var sample = try context.measure(nil, rowCount: times, repeats: true) {
            for _ in 0..<times {
                let watch = Stopwatch()
                let stack = try open(configuration)
                opened.record(nanoseconds: watch.elapsedNanoseconds)
                let answer = try firstPageMiles(stack, rowCount)
                answered.record(nanoseconds: watch.elapsedNanoseconds)
                if answer != expected { wrongAnswers += 1 }
                try stack.close()
            }
        }
        sample.latencies["opened"] = opened.summary
        sample.latencies["answered"] = answered.summary

        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.checkAny("flights", rowCount)
        verifier.check("wrong answers", wrongAnswers, equals: 0)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func firstPageMiles(
        _ stack: any PersistenceStack, _ rowCount: Int
    ) throws -> Int {
        var request = FetchRequest(entityName: "Flight", sortKeys: [.ascending("distance")])
        request.fetchLimit = rowCount
        let page = request
        let view = try stack.viewContext
        return try view.performAndWait {
            try view.fetch(page, as: Flight.self).reduce(0) { $0 + $1.distance }
        }
    }

    private static func firstPageMiles(_ store: StoreReader, _ rowCount: Int) throws -> Int {
        try store.integer(
            """
            SELECT SUM(ZDISTANCE) \
            FROM (SELECT ZDISTANCE FROM ZFLIGHT ORDER BY ZDISTANCE LIMIT \(rowCount))
            """)
    }
}

extension WorkloadKind {
    static let opening = WorkloadKind(
        name: "opening", summary: "open a stack, eagerly or on first use, and ask for a page",
        subjects: [.stack], data: .storedFlights,
        parameters: [
            WorkloadParameter(
                name: "way", values: .choice(["eager", "lazy"]), defaultValue: "eager",
                summary: "whether the store is opened at once or by the first request"),
            WorkloadParameter(
                name: "times", values: .integer(20...100_000), defaultValue: "50",
                summary: "openings in a sample"),
        ],
        primaryMetric: Metric("answered.p50", title: "first answer p50", unit: .nanoseconds),
        extraMetrics: [
            Metric("opened.p50", title: "open p50", unit: .nanoseconds),
            Metric("answered.max", title: "first answer longest", unit: .nanoseconds),
        ],
        latencies: ["opened", "answered"],
        run: OpeningWorkload.run)
}
