import Measuring
import ObjectGraph

/// One elementary operation, repeated in one context: an insertion, a save of one object, or a
/// fetch of one row. The quotients of their costs can be compared with those of other machines.
enum ElementaryWorkload {
    enum Operation: String, CaseIterable {
        /// Inserts the items, which one save at the end writes.
        case insert
        /// Changes one item and saves it.
        case save
        /// Finds one item by its number, which is indexed.
        case fetch
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let operation: Operation = context.choice("operation")
        var random = SeededGenerator(seed: context.job.seed)
        let items = ItemRow.generated(count: context.integer("rows")).shuffled(using: &random)
        try context.placeStore(isWritten: operation != .fetch)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let objects = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let stored = operation == .save ? try objects.heldItems() : []
        let (sample, found) = try context.measure(in: objects, rowCount: items.count) {
            () -> ItemChecksum? in
            switch operation {
            case .insert: try objects.insert(items)
            case .save: try objects.saveEach(stored)
            case .fetch:
                return try objects.findItems(numbered: items.map(\.number), inTransaction: true)
            }
            return nil
        }
        try coordinator.removePersistentStores()

        var facts = ItemSum.facts(of: items)
        var verifier = Verifier()
        if let found {
            verifier.check(
                [found],
                equal: ItemChecksum(itemCount: items.count, sum: facts[ItemSum.checksum.name]))
        }
        if operation == .save { ItemSum.raiseQuantities(in: &facts, by: 1) }
        let store = try StoreReader(context.storeURL)
        try verifier.checkJournal(of: store)
        try verifier.checkItems(in: store, are: facts)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension ManagedObjectContext {
    /// Loads all items and keeps them registered.
    fileprivate func heldItems() throws -> [ManagedObjectID] {
        try performAndWait {
            retainsRegisteredObjects = true
            var request = FetchRequest(entityName: "Item")
            request.returnsObjectsAsFaults = false
            return try fetch(request, as: Item.self).map(\.objectID)
        }
    }

    fileprivate func insert(_ items: [ItemRow]) throws {
        for row in items { Item(context: self).take(row) }
        try save()
    }

    fileprivate func saveEach(_ identifiers: [ManagedObjectID]) throws {
        for identifier in identifiers {
            (object(with: identifier) as? Item)?.quantity += 1
            try save()
        }
    }
}

extension WorkloadKind {
    static let elementary = WorkloadKind(
        name: "elementary", summary: "one insertion, one save of an object, or one fetch of a row",
        subjects: [.engine],
        data: .own({ context in
            ItemStore(
                rowCount: context.text("operation") == "insert" ? 0 : context.integer("rows"),
                features: [.indexedNumber])
        }),
        parameters: [
            WorkloadParameter(
                name: "operation", values: .cases(of: ElementaryWorkload.Operation.self),
                defaultValue: "insert", summary: "what is repeated"),
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "1000",
                summary: "how often, each time with another item"),
        ],
        run: ElementaryWorkload.run)
}
