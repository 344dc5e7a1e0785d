import Dispatch
import Measuring
import ObjectGraph

/// Lists on the view's context follow the saves of a worker.
///
/// Measures how soon after the start of each save the last delegate was notified, and how long the
/// main queue was busy meanwhile.
enum ListWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let saveCount = context.integer("saves")
        let facts = try context.placeStore(isWritten: true)
        let stack = try context.openStack(on: Item.makeModel([.indexedNumber]))
        let list = try FollowedList(stack, context)
        let heartbeat = LatencyProbe(everyMilliseconds: 1) { completion in
            DispatchQueue.main.async { completion(.success(())) }
        }
        var sample = try context.measure(stack, rowCount: saveCount * context.integer("changes")) {
            heartbeat.start()
            for _ in 0..<saveCount { try list.changeAndSave() }
        }
        sample.latencies["shown"] = list.latencies.summary
        sample.latencies["mainQueue"] = try heartbeat.stop()
        let wrongCount = try list.wrongListCount()
        try stack.close()

        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("wrong lists", wrongCount, equals: 0)
        try verifier.check(.count, in: store, after: facts, plus: list.growth.itemCount)
        try verifier.check(.quantity, in: store, after: facts, plus: list.growth.quantity)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension Verifier {
    /// Checks a sum over the store's items.
    fileprivate mutating func check(
        _ sum: ItemSum, in store: StoreReader, after facts: [String: Int64], plus growth: Int
    ) throws {
        let found = try store.integer("SELECT \(sum.sql ?? "NULL") FROM ZITEM")
        check(sum.name, found, equals: Int(facts[sum.name] ?? 0) + growth)
    }
}

extension WorkloadKind {
    static let list = WorkloadKind(
        name: "list", summary: "how soon lists follow a save, and how long the main queue is busy",
        subjects: [.stack],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        work: .contended,
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "10000",
                summary: "items of ten columns, which the list shows in the order of their numbers"),
            WorkloadParameter(
                name: "change", values: .cases(of: FollowedList.Change.self),
                defaultValue: "update",
                summary: "whether saves change items that the view has read, or insert others"),
            WorkloadParameter(
                name: "changes", values: .integer(1...1_000_000), defaultValue: "1",
                summary: "items that each save changes or inserts"),
            WorkloadParameter(
                name: "saves", values: .integer(1...1_000_000), defaultValue: "50",
                summary: "saves; a p50 needs 20, a p99 1,000"),
            WorkloadParameter(
                name: "watch", values: .cases(of: FollowedList.Watch.self), defaultValue: "list",
                summary: "one controller of the list, several of the list, one for each of several"
                    + " items, or an observer of each"),
            WorkloadParameter(
                name: "watchers", values: .integer(1...100_000), defaultValue: "100",
                summary: "controllers or observers, unless one controller watches the list"),
            WorkloadParameter(
                name: "shape", values: .cases(of: FollowedList.Shape.self),
                defaultValue: "changes", summary: "the shape in which delegates get the changes"),
            WorkloadParameter(
                name: "fetchBatchSize", values: .integer(0...100_000), defaultValue: "20",
                summary: "rows per batch of the list, 0 for all at once"),
        ],
        primaryMetric: Metric("shown.p50", title: "shown p50", unit: .nanoseconds),
        extraMetrics: [
            Metric("shown.max", title: "shown longest", unit: .nanoseconds),
            Metric("mainQueue.p50", title: "main queue p50", unit: .nanoseconds),
            Metric("mainQueue.max", title: "main queue longest", unit: .nanoseconds),
        ],
        latencies: ["shown", "mainQueue"],
        run: ListWorkload.run)
}
