import Measuring
import ObjectGraph
import RunRecords

/// Items with no index, one or several: how much sooner they are found, and what saves cost.
enum IndexesWorkload {
    enum Way: String, CaseIterable {
        /// Items by their numbers, one a request.
        case find
        /// Saves of ``WorkloadParameter/saveSize`` new items.
        case insert
        /// One save that raises each quantity.
        case update
    }

    static let findCount = 100

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let store = IndexedItems(context)
        var verifier = Verifier()
        let sample =
            switch way {
            case .find: try find(store, context, &verifier)
            case .insert: try ItemWrite.insert.measure(store, context, &verifier)
            case .update: try ItemWrite.update.measure(store, context, &verifier)
            }
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static func find(
        _ store: IndexedItems, _ context: WorkerContext, _ verifier: inout Verifier
    ) throws -> Sample {
        let items = ItemRow.generated(count: store.rowCount)
        var random = SeededGenerator(seed: context.job.seed)
        let wanted = items.shuffled(using: &random).prefix(findCount)
        var expected = ItemChecksum()
        for item in wanted { expected.add(item) }
        try context.placeStore(isWritten: false)
        let engine = try store.open(in: context)
        var answers: Set<ItemChecksum> = []
        let sample = try context.measureBatches(rowCount: wanted.count) { batches in
            answers.insert(
                try batches.time(engine) {
                    try engine.findItems(numbered: wanted.map(\.number), inTransaction: true)
                })
        }
        try engine.close()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check(answers, equal: expected)
        return sample
    }
}

private struct IndexedItems: DeclaredItems {
    /// The indexed attributes, in this order. Items are found by the first; the second is updated.
    static let attributes = ["number", "quantity", "createdAt", "name", "city"]

    var rowCount: Int
    var indexCount: Int

    init(_ context: WorkerContext) {
        rowCount = context.text("way") == "insert" ? 0 : context.integer("rows")
        indexCount = context.integer("indexCount")
    }

    func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                Item.self,
                indexes: Self.attributes.prefix(indexCount).map {
                    FetchIndexDescription("by_\($0)", on: $0)
                })
        ])
    }
}

extension WorkloadKind {
    static let indexes = WorkloadKind(
        name: "indexes", summary: "what indexes save a look-up and cost a save",
        subjects: [.engine], data: .own({ IndexedItems($0) }),
        parameters: [
            WorkloadParameter(
                name: "indexCount", values: .integer(0...IndexedItems.attributes.count),
                defaultValue: "1",
                summary:
                    "how many have an index: \(IndexedItems.attributes.joined(separator: ", "))"),
            WorkloadParameter(
                name: "way", values: .cases(of: IndexesWorkload.Way.self), defaultValue: "find",
                summary: "find \(IndexesWorkload.findCount) by their numbers, insert all, or raise"
                    + " each quantity"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "20000",
                summary: "items of ten columns"),
            .saveSize,
        ],
        run: IndexesWorkload.run)
}
