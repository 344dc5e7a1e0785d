import Foundation
import Measuring
import ObjectGraph

/// Pages through a list once, with a save to random items of it after each page. The reader is
/// pinned to the generation of the first page, or is not.
///
/// One thread does both in turn, so each page has one right answer.
enum GenerationsWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let pageSize = context.integer("pageSize")
        let isPinned = context.text("view") == "pinned"
        let initial = ItemRow.generated(count: rowCount).map { Int($0.quantity) }
        var stored = initial
        var random = SeededGenerator(seed: context.job.seed)

        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let reader = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        if isPinned { try reader.performAndWait { try reader.setQueryGeneration(from: .current) } }
        let writer = try ItemWriter(coordinator)
        var pages = LatencyRecorder()
        var saves = LatencyRecorder()
        var wrongPages = 0
        coordinator.resetCounters()
        var sample = try context.measure(nil, rowCount: rowCount) {
            for start in stride(from: 0, to: rowCount, by: pageSize) {
                let page = start..<min(start + pageSize, rowCount)
                let watch = Stopwatch()
                let sum = try reader.sumOfQuantities(from: start + 1, count: page.count)
                pages.record(nanoseconds: watch.elapsedNanoseconds)
                if sum != (isPinned ? initial : stored)[page].reduce(0, +) { wrongPages += 1 }

                let changed = (0..<context.integer("changes")).map { _ in
                    Int.random(in: 0..<rowCount, using: &random)
                }
                for index in changed { stored[index] += 1 }
                let saveWatch = Stopwatch()
                try writer.raiseQuantities(at: changed)
                saves.record(nanoseconds: saveWatch.elapsedNanoseconds)
            }
        }
        sample.counters = ["statements": coordinator.counters.statements]
        sample.latencies["page"] = pages.summary
        sample.latencies["save"] = saves.summary
        let log = URL(fileURLWithPath: context.storeURL.path + "-wal")
        sample.metrics["walFileBytes"] =
            try log.resourceValues(forKeys: [.fileSizeKey]).fileSize.map(Double.init)
        try coordinator.removePersistentStores()

        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("wrong pages", wrongPages, equals: 0)
        verifier.check(
            "quantities", try store.integer("SELECT SUM(ZQUANTITY) FROM ZITEM"),
            equals: stored.reduce(0, +))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension ManagedObjectContext {
    /// Reads a page of items in the order of their numbers.
    fileprivate func sumOfQuantities(from number: Int, count: Int) throws -> Int {
        var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
        request.predicate = .comparison(
            .init(.keyPath("number"), .greaterThanOrEqual, .constant(.integer(Int64(number)))))
        request.fetchLimit = count
        request.returnsObjectsAsFaults = false
        let page = request
        return try performAndWait {
            try fetch(page, as: Item.self).reduce(0) { $0 + Int($1.quantity) }
        }
    }
}

/// Changes items in a context of its own.
private struct ItemWriter {
    private let context: ManagedObjectContext
    /// In the order of the items' numbers.
    private let identifiers: [ManagedObjectID]

    init(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        self.context = context
        var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
        request.includesPropertyValues = false
        let all = request
        identifiers = try context.performAndWait { try context.fetchObjectIDs(all) }
    }

    /// Adds one to each of these items and saves.
    func raiseQuantities(at indexes: [Int]) throws {
        try context.performAndWait {
            for index in indexes {
                guard let item = context.object(with: identifiers[index]) as? Item else { continue }
                item.quantity += 1
            }
            try context.save()
        }
    }
}

extension WorkloadKind {
    static let generations = WorkloadKind(
        name: "generations",
        summary: "page through a list, pinned or not, with a save after each page",
        subjects: [.engine],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "view", values: .choice(["unpinned", "pinned"]), defaultValue: "pinned",
                summary: "whether the reader is pinned to the generation of the first page"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "20000",
                summary: "items of ten columns"),
            WorkloadParameter(
                name: "pageSize", values: .integer(1...100_000), defaultValue: "20",
                summary: "items a page"),
            WorkloadParameter(
                name: "changes", values: .integer(1...100_000), defaultValue: "20",
                summary: "random items that each save changes"),
        ],
        primaryMetric: Metric("page.p50", title: "page p50", unit: .nanoseconds),
        extraMetrics: [
            Metric("page.p99", title: "page p99", unit: .nanoseconds),
            Metric("save.p50", title: "save p50", unit: .nanoseconds),
            Metric("walFileBytes", title: "WAL file at the end", unit: .bytes),
        ],
        latencies: ["page", "save"],
        run: GenerationsWorkload.run)
}
