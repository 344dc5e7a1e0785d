import Measuring
import ObjectGraph

/// Saves new items and reads them again: from the context, which knows what it has inserted, or by
/// a fetch after the save.
enum InsertedWorkload {
    enum Way: String, CaseIterable {
        /// `insertedObjects`, taken before the save.
        case insertedObjects = "inserted-objects"
        /// A fetch after the save.
        case fetch
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let storedCount = context.integer("rows")
        let insertedCount = context.integer("inserted")
        let rows = ItemRow.generated(count: storedCount + insertedCount)
        let new = Array(rows[storedCount...])
        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let objects = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        objects.performAndWait {
            for row in new { Item(context: objects).take(row) }
        }
        let (sample, read) = try context.measure(in: objects, rowCount: insertedCount) {
            switch way {
            case .insertedObjects:
                let inserted = objects.insertedObjects
                try objects.save()
                return inserted.lazy.compactMap { $0 as? Item }.checksum
            case .fetch:
                try objects.save()
                var request = FetchRequest(
                    entityName: "Item", predicate: try ObjectPredicate("number > %ld", storedCount))
                request.returnsObjectsAsFaults = false
                return try objects.fetch(request, as: Item.self).checksum
            }
        }
        try coordinator.removePersistentStores()

        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check([read], equal: new.checksum)
        try verifier.checkItems(in: store, are: ItemSum.facts(of: rows))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension Sequence where Element: ItemValues {
    fileprivate var checksum: ItemChecksum {
        reduce(into: ItemChecksum()) { $0.add($1) }
    }
}

extension WorkloadKind {
    static let inserted = WorkloadKind(
        name: "inserted", summary: "save new items and read them: known ones, or fetched again",
        subjects: [.engine],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "way", values: .cases(of: InsertedWorkload.Way.self),
                defaultValue: "inserted-objects", summary: "where the new items come from"),
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "10000",
                summary: "items in the store before"),
            WorkloadParameter(
                name: "inserted", values: .integer(1...1_000_000), defaultValue: "1000",
                summary: "new items, all in one save"),
        ],
        run: InsertedWorkload.run)
}
