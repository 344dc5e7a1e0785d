import Benchmarking
import ObjectGraph

/// Finds one item at a time in a context whose parent has unsaved items, which every fetch has to
/// consider.
enum PendingWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let pendingCount = context.integer("pending")
        let facts = try context.placeStore(isWritten: false)
        let coordinator = try context.openCoordinator(Item.makeModel(isNumberIndexed: true))
        let parent = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let child = ManagedObjectContext(.privateQueue, parent: parent)
        let pending = ItemRow.generated(count: pendingCount)
        parent.performAndWait {
            for row in pending {
                let item = Item(context: parent)
                item.take(row)
                // No fetch finds it.
                item[Item.number] = -row.number
            }
        }
        var random = SeededGenerator(seed: context.job.seed)
        let numbers = (1...Int64(rowCount)).shuffled(using: &random)
        var found = ItemChecksum()
        var sample = try context.measure(nil, rowCount: rowCount) {
            found = try child.findItems(numbered: numbers)
        }
        sample.counters = [Metric.statements.name: coordinator.counters.statements]
        try coordinator.removePersistentStores()

        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check(
            [found], equal: ItemChecksum(itemCount: rowCount, sum: facts[ItemSum.checksum.name]))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let pending = WorkloadKind(
        name: "pending", summary: "find items below a context with unsaved ones",
        subjects: [.engine], usesDataset: false,
        store: { ItemStore(rowCount: $0.integer("rows"), isNumberIndexed: true) },
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "1000",
                summary: "items in the store, each of which is found once"),
            WorkloadParameter(
                name: "pending", values: .integer(0...1_000_000), defaultValue: "0",
                summary: "unsaved items of the parent"),
        ],
        run: PendingWorkload.run)
}
