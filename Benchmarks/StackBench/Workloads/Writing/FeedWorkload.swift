import Measuring

/// Replaces a cached feed by a new one, repeatedly: one save inserts the new feed with its items
/// and deletes the old one, which cascades to its items.
enum FeedWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let itemCount = context.integer("items")
        let feedCount = context.integer("feeds")
        let rows = ItemRow.generated(count: itemCount * feedCount)
        let feeds = (0..<feedCount).map { Array(rows[$0 * itemCount..<($0 + 1) * itemCount]) }
        let (subject, _) = try context.openItems(isWritten: true, [.racks])
        try subject.replaceRacks(with: feeds[0])
        var latencies = LatencyRecorder()
        var sample = try context.measure(
            counting: subject as? any CountingSubject, rowCount: rows.count, repeats: true
        ) {
            for feed in feeds {
                let watch = Stopwatch()
                try subject.replaceRacks(with: feed)
                latencies.record(nanoseconds: watch.elapsedNanoseconds)
            }
        }
        sample.latencies["replaced"] = latencies.summary
        (subject as? any CountingSubject)?.settle()
        let shown = try subject.walkRacks(prefetching: false)
        try subject.close()

        let last = ItemSum.facts(of: feeds[feedCount - 1])
        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check(
            [shown], equal: ItemChecksum(itemCount: itemCount, sum: last[ItemSum.checksum.name]))
        verifier.check("feeds", try store.integer("SELECT COUNT(*) FROM ZRACK"), equals: 1)
        try verifier.checkItems(in: store, are: last)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let feed = WorkloadKind(
        name: "feed", summary: "replace a cached feed: insert and cascade delete in one save",
        subjects: [.stack, .peer], data: .own({ _ in ItemStore(rowCount: 0, features: [.racks]) }),
        work: .contended,
        parameters: [
            WorkloadParameter(
                name: "items", values: .integer(1...100_000), defaultValue: "100",
                summary: "items of a feed"),
            WorkloadParameter(
                name: "feeds", values: .integer(20...100_000), defaultValue: "50",
                summary: "feeds, each of which replaces the one before"),
        ],
        primaryMetric: Metric("replaced.p50", title: "replaced p50", unit: .nanoseconds),
        latencies: ["replaced"],
        run: FeedWorkload.run)
}
