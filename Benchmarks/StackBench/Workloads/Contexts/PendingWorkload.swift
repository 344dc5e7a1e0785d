import Measuring
import ObjectGraph

/// Finds one item at a time in a context whose parent has unsaved items, which a fetch considers
/// unless its request excludes them.
enum PendingWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let pendingCount = context.integer("pending")
        let includesPendingChanges = context.flag("includesPendingChanges")
        let facts = try context.placeStore(isWritten: false)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
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
            found = try child.findItems(
                numbered: numbers, includesPendingChanges: includesPendingChanges)
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

extension ManagedObjectContext {
    /// Like ``findItems(numbered:)``, with or without unsaved items.
    fileprivate func findItems(
        numbered numbers: [Int64], includesPendingChanges: Bool
    ) throws -> ItemChecksum {
        try performAndWait {
            var request = FetchRequest(entityName: "Item")
            request.fetchLimit = 1
            request.returnsObjectsAsFaults = false
            request.includesPendingChanges = includesPendingChanges
            var checksum = ItemChecksum()
            for number in numbers {
                request.predicate = try ObjectPredicate("number == %ld", number)
                for item in try fetch(request, as: Item.self) { checksum.add(item) }
            }
            return checksum
        }
    }
}

extension WorkloadKind {
    static let pending = WorkloadKind(
        name: "pending", summary: "find items below a context with unsaved ones",
        subjects: [.engine],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "1000",
                summary: "items in the store, each of which is found once"),
            WorkloadParameter(
                name: "pending", values: .integer(0...1_000_000), defaultValue: "0",
                summary: "unsaved items of the parent"),
            WorkloadParameter(
                name: "includesPendingChanges", values: .flag, defaultValue: "true",
                summary: "whether requests consider unsaved items"),
        ],
        run: PendingWorkload.run)
}
