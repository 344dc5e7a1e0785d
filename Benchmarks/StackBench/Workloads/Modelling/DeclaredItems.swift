import ObjectGraph
import RunRecords

/// A store of items whose model declares more than that of the engine's table.
protocol DeclaredItems: SampleStore {
    var rowCount: Int { get }
    func makeModel() throws -> ManagedObjectModel
    /// Makes items for the store, or to insert into it; every call makes the same ones.
    func makeItems(_ count: Int) -> [ItemRow]
}

extension DeclaredItems {
    func makeItems(_ count: Int) -> [ItemRow] { ItemRow.generated(count: count) }

    func make(in context: WorkerContext) throws -> [String: Int64] {
        let items = makeItems(rowCount)
        let engine = try open(in: context)
        if !items.isEmpty { try engine.batchInsert(items) }
        try engine.close()
        return [:]
    }

    func open(in context: WorkerContext) throws -> ObjectGraphEngine {
        let engine = try ObjectGraphEngine(configuration: context.configuration, model: makeModel())
        try context.configuration.check(engine)
        return engine
    }
}

/// A write that measures the cost of a declaration.
enum ItemWrite {
    /// Saves of ``WorkloadParameter/saveSize`` new items.
    case insert
    /// One save, which changes an attribute of each item.
    case update

    /// Writes to a fresh copy of the store in each batch, and checks all items of the last one.
    func measure(
        _ store: some DeclaredItems, _ context: WorkerContext, _ verifier: inout Verifier
    ) throws -> Sample {
        let items = store.makeItems(context.integer("rows"))
        let sample = try context.measureBatches(rowCount: items.count) { batches in
            try context.placeStore(isWritten: true)
            let engine = try store.open(in: context)
            if self == .update { try engine.loadItems() }
            try batches.time(engine, once: true) {
                switch self {
                case .insert:
                    try engine.insert(items, saveSize: context.integer("saveSize"))
                case .update: try engine.updateLoadedItems()
                }
            }
            try engine.close()
        }
        var facts = ItemSum.facts(of: items)
        if self == .update { ItemSum.raiseQuantities(in: &facts, by: 1) }
        let reader = try StoreReader(context.storeURL)
        try verifier.checkJournal(of: reader)
        try verifier.checkItems(in: reader, are: facts)
        return sample
    }
}
