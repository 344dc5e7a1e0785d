import Measuring
import ObjectGraph
import Reports
import Synchronization

/// A view takes up what another context has changed in all items, of which it holds a share.
enum MergeWorkload {
    /// How the changes reach the view.
    enum Way: String, CaseIterable {
        /// The view merges the save of a context beside it.
        case merge
        /// The same after the view has read each changed item.
        case readFirst = "read-first"
        /// A context below the view saves to it.
        case child
    }

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let way: Way = context.choice("way")
        let rowCount = context.integer("rows")
        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let view = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let worker =
            way == .child
            ? ManagedObjectContext(.privateQueue, parent: view)
            : ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let heldCount = rowCount * context.integer("registered") / 100
        try view.hold(first: heldCount)
        let changes = Mutex(ObjectChanges())
        let observation = worker.observe { notification in
            if case .didSave(let saved) = notification { changes.withLock { $0 = saved } }
        }
        defer { withExtendedLifetime(observation) {} }
        try worker.changeQuantities(ofFirst: rowCount)

        // The save of the worker beside the view is not part of the merge.
        if way != .child { try worker.performAndWait { try worker.save() } }
        var sample = try context.measure(nil, rowCount: rowCount) {
            guard way != .child else { return try worker.performAndWait { try worker.save() } }
            let saved = changes.withLock { $0 }
            try view.performAndWait {
                if way == .readFirst { try view.read(saved.updated) }
                view.mergeChanges(saved)
            }
        }
        sample.counters = [
            Metric.mergedObjects.name: coordinator.counters.mergedObjects,
            Metric.statements.name: coordinator.counters.statements,
        ]
        let sum = try view.sumOfQuantities(first: rowCount)
        try coordinator.removePersistentStores()

        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check("quantities", sum, equals: rowCount * Self.newQuantity)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    static let newQuantity = 1_000_000
}

extension ManagedObjectContext {
    private static func firstItems(_ count: Int) -> FetchRequest {
        var request = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
        request.fetchLimit = count
        request.returnsObjectsAsFaults = false
        return request
    }

    /// Registers the first items with their values, for as long as the context lives.
    fileprivate func hold(first count: Int) throws {
        guard count > 0 else { return }
        try performAndWait {
            retainsRegisteredObjects = true
            _ = try fetch(Self.firstItems(count), as: Item.self)
        }
    }

    fileprivate func changeQuantities(ofFirst count: Int) throws {
        try performAndWait {
            for item in try fetch(Self.firstItems(count), as: Item.self) {
                item.quantity = Int32(MergeWorkload.newQuantity)
            }
        }
    }

    /// Reads a value of each item, so that the merge finds no faults.
    fileprivate func read(_ identifiers: [ManagedObjectID]) throws {
        var sum = 0
        for identifier in identifiers {
            if let item = object(with: identifier) as? Item { sum += Int(item.quantity) }
        }
    }

    fileprivate func sumOfQuantities(first count: Int) throws -> Int {
        try performAndWait {
            try fetch(Self.firstItems(count), as: Item.self).reduce(0) { $0 + Int($1.quantity) }
        }
    }
}

extension WorkloadKind {
    static let merge = WorkloadKind(
        name: "merge", summary: "take up changes of another context in a view that holds a share",
        subjects: [.engine],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "way", values: .cases(of: MergeWorkload.Way.self), defaultValue: "merge",
                summary: "a merge, a merge after reading the changed items, or a child's save"),
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "10000",
                summary: "items, all of which are changed"),
            WorkloadParameter(
                name: "registered", values: .integer(0...100), defaultValue: "100",
                summary: "percent of the items that the view holds"),
        ],
        extraMetrics: [.mergedObjects],
        run: MergeWorkload.run)
}
