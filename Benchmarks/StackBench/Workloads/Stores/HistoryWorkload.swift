import Measuring
import ObjectGraph

/// The cost of a history: time to record it, bytes in the file, and time to read it.
enum HistoryWorkload {
    enum Way: String, CaseIterable {
        /// Saves of ``WorkloadParameter/saveSize`` new objects.
        case insert
        /// One save of changed objects.
        case update
        /// One save of deleted objects.
        case delete
        case batchInsert = "batch-insert"
        case batchUpdate = "batch-update"
        /// All transactions of a history without their changes.
        case readTransactions = "read-transactions"
        /// All transactions with their changes.
        case readChanges = "read-changes"
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        return switch way {
        case .readTransactions, .readChanges: try read(way, context)
        default: try write(way, context)
        }
    }

    /// Each batch starts with a fresh store.
    private static func write(_ way: Way, _ context: WorkerContext) throws -> WorkloadOutcome {
        let items = ItemRow.generated(count: context.integer("rows"))
        let saveSize = context.integer("saveSize")
        var sample = try context.measureBatches(rowCount: items.count) { batches in
            let engine = try context.openObjectGraph(isWritten: true)
            if way.isOfLoadedItems { try engine.loadItems() }
            try batches.time(engine, once: true) {
                try way.write(items, saveSize: saveSize, to: engine)
            }
            try engine.close()
        }
        let store = try StoreReader(context.storeURL)
        var verifier = Verifier()
        try verifier.checkJournal(of: store)
        try verifier.checkItems(in: store, are: way.facts(of: items))
        let isOn = context.text("history") == "on"
        try verifier.checkHistory(in: store, hasOnly: isOn ? [way.changeType: items.count] : nil)
        if isOn {
            sample.metrics["bytesPerChange"] =
                Double(try store.dropHistory()) / Double(items.count)
        }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func read(_ way: Way, _ context: WorkerContext) throws -> WorkloadOutcome {
        let changeCount = context.integer("rows")
        let saveSize = context.integer("saveSize")
        let engine = try context.openObjectGraph(isWritten: false)
        var sizes: Set<HistorySize> = []
        let sample = try context.measureBatches(rowCount: changeCount) { batches in
            sizes.insert(
                try batches.time(engine) {
                    try engine.readHistory(withChanges: way == .readChanges)
                })
        }
        try engine.close()

        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check("answers", sizes.count, equals: 1)
        for size in sizes {
            verifier.check(
                "transactions", size.transactionCount,
                equals: (changeCount + saveSize - 1) / saveSize)
            verifier.check(
                "changes", size.changeCount, equals: way == .readChanges ? changeCount : 0)
        }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    @Sendable fileprivate static func store(_ context: WorkerContext) -> (any SampleStore)? {
        let rowCount = context.integer("rows")
        let way: Way = context.choice("way")
        return switch way {
        case .insert, .batchInsert: ItemStore(rowCount: 0)
        case .update, .delete, .batchUpdate: ItemStore(rowCount: rowCount)
        case .readTransactions, .readChanges:
            ItemStore(rowCount: rowCount, historySaveSize: context.integer("saveSize"))
        }
    }
}

extension HistoryWorkload.Way {
    fileprivate var isOfLoadedItems: Bool { self == .update || self == .delete }

    /// The type of each change that is recorded.
    fileprivate var changeType: PersistentHistoryChange.ChangeType {
        switch self {
        case .insert, .batchInsert: .insert
        case .delete: .delete
        case .update, .batchUpdate: .update
        case .readTransactions, .readChanges: preconditionFailure("Reading changes nothing.")
        }
    }

    fileprivate func write(
        _ items: [ItemRow], saveSize: Int, to engine: ObjectGraphEngine
    ) throws {
        switch self {
        case .insert: try engine.insert(items, saveSize: saveSize)
        case .update: try engine.updateLoadedItems()
        case .delete: try engine.deleteLoadedItems()
        case .batchInsert: try engine.batchInsert(items)
        case .batchUpdate: try engine.batchUpdate()
        case .readTransactions, .readChanges: preconditionFailure("Reading writes nothing.")
        }
    }

    /// What the store must hold afterwards.
    fileprivate func facts(of items: [ItemRow]) -> [String: Int64] {
        guard self != .delete else { return ItemSum.facts(of: []) }
        var facts = ItemSum.facts(of: items)
        if changeType == .update { ItemSum.raiseQuantities(in: &facts, by: 1) }
        return facts
    }
}

extension WorkerContext {
    /// Opens the engine on a fresh copy of the store, for work that peers do not have.
    func openObjectGraph(isWritten: Bool) throws -> ObjectGraphEngine {
        guard let engine = try openEngine(isWritten: isWritten).subject as? ObjectGraphEngine else {
            preconditionFailure("The kind \(job.kind) declares other subjects than the engine.")
        }
        return engine
    }
}

extension WorkloadKind {
    static let history = WorkloadKind(
        name: "history", summary: "what a history costs: recorded by saves and requests, and read",
        subjects: [.engine], data: .own(HistoryWorkload.store),
        parameters: [
            WorkloadParameter(
                name: "history", values: .choice(["off", "on"]), defaultValue: "on",
                summary: "whether the store keeps a history"),
            WorkloadParameter(
                name: "way", values: .cases(of: HistoryWorkload.Way.self),
                defaultValue: "insert", summary: "what is written, or read of a history"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "100000",
                summary: "items of ten columns, each changed once"),
            .saveSize,
        ],
        extraMetrics: [
            Metric(
                "bytesPerChange", title: "history bytes a change", unit: .bytes)
        ],
        run: HistoryWorkload.run)
}
