import Measuring
import ObjectGraph

/// Two contexts find or create items with the same numbers at once, one item a save. Counts the
/// items that exist twice.
enum DuplicatesWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let isConstrained = context.flag("isConstrained")
        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(
            Item.makeModel(
                isConstrained ? [.indexedNumber, .uniqueNumber] : [.indexedNumber]))
        let rows = ItemRow.generated(count: rowCount)
        let importers = (0..<2).map { _ in
            ManagedObjectContext(.privateQueue, coordinator: coordinator)
        }
        for importer in importers {
            importer.performAndWait { importer.mergePolicy = .mergeByPropertyObjectTrump }
        }
        let sample = try context.measure(nil, rowCount: rowCount) {
            // Each finds before either has saved, as two downloads of the same list do.
            for row in rows {
                for importer in importers { try importer.findOrCreate(row) }
                for importer in importers {
                    try importer.performAndWait { try importer.save() }
                }
            }
        }
        try coordinator.removePersistentStores()

        let store = try StoreReader(context.storeURL)
        let found = try store.integers("SELECT COUNT(*), COUNT(DISTINCT ZNUMBER) FROM ZITEM")
        var counted = sample
        counted[.duplicates] = Double(found[0] - found[1])
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("numbers", found[1], equals: rowCount)
        return WorkloadOutcome(sample: counted, verification: verifier.verification)
    }
}

extension ManagedObjectContext {
    fileprivate func findOrCreate(_ row: ItemRow) throws {
        try performAndWait {
            let predicate = try ObjectPredicate("number == %ld", row.number)
            guard try Item.findFirst(in: self, where: predicate) == nil else { return }
            Item(context: self).take(row)
        }
    }
}

extension Metric {
    fileprivate static let duplicates = Metric("duplicates", unit: .count)
}

extension WorkloadKind {
    static let duplicates = WorkloadKind(
        name: "duplicates", summary: "find or create the same items in two contexts at once",
        subjects: [.engine], data: .none,
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "200",
                summary: "items that both contexts import"),
            WorkloadParameter(
                name: "isConstrained", values: .flag, defaultValue: "false",
                summary: "whether a constraint makes numbers unique"),
        ],
        extraMetrics: [.duplicates],
        run: DuplicatesWorkload.run)
}
