import Measuring
import ObjectGraph

/// Fetches all rows of an entity of the user's store and reads those that a list shows: the first
/// ones, or all, as if the user scrolled to the end.
enum StoreListWorkload {
    /// About as many rows as a list shows at first.
    static let shownRowCount = 20
    /// The value of the parameter `fetchBatchSize` that reads all rows at once.
    static let unbatched = "none"
    /// The value of the parameter `shown` that reads the whole list; the other is ``shownRowCount``.
    static let everything = "all"

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let session = try context.openOwnStore(isWritten: false)
        let entity = session.entity("entity")
        var fetch = FetchRequest(entityName: entity)
        fetch.includesSubentities = false
        fetch.fetchLimit = context.integer("rows")
        fetch.fetchBatchSize = Int(context.text("fetchBatchSize")) ?? 0
        let isWhole = context.text("shown") == everything
        let expected = min(session.rowCount(of: entity), fetch.fetchLimit)
        let shownCount = isWhole ? expected : min(expected, shownRowCount)
        let attributes = session.storedAttributes(of: entity)
        let countable = session.countableAttributes(of: entity)
        let view = try session.stack.viewContext
        var (rowCount, valueCount) = (0, 0)
        var shown: [ManagedObjectID] = []
        let sample = try context.measure(session.stack, rowCount: shownCount) {
            (rowCount, valueCount, shown) = try view.performAndWait { [fetch] in
                let list = try view.fetch(fetch, as: ManagedObject.self)
                var values = 0
                // Each object is taken once: the list keeps few batches.
                let shown = try list.prefix(shownCount).map { object in
                    for name in attributes where try object.value(forKey: name) != nil {
                        if countable.contains(name) { values += 1 }
                    }
                    return object.objectID
                }
                return (list.count, values, shown)
            }
        }
        let (store, tables) = try session.readBack()
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        verifier.check("rows", rowCount, equals: expected)
        verifier.check("rows shown", shown.count, equals: shownCount)
        if let values = try tables.valueCount(of: Array(countable), of: entity, shown, in: store) {
            verifier.check("values", valueCount, equals: values)
        }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkloadKind {
    static let storeList = WorkloadKind(
        name: "store-list", summary: "show a list of all rows of an entity, a batch at a time",
        subjects: [.stack], data: .none,
        parameters: [
            .shown("entity"), .shown("fetchBatchSize"), .shown("rows"), .shown("shown"),
        ],
        run: StoreListWorkload.run)
}
