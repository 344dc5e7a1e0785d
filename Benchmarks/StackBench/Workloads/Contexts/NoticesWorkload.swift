import Measuring
import ObjectGraph
import Reports
import Synchronization

/// A view merges changes of all its items, a share of which are faults. Counts the items whose
/// observer notices nothing.
enum NoticesWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let rowCount = context.integer("rows")
        let faultCount = rowCount * context.integer("faults") / 100
        try context.placeStore(isWritten: true)
        let coordinator = try context.openCoordinator(Item.makeModel([.indexedNumber]))
        let view = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let worker = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        let observer = ItemObserver(context.choice("observer"), of: view)
        try view.performAndWait { try observer.observe(faultCount: faultCount) }
        let saved = try worker.changeAllQuantities()

        let (measured, noticedCount) = try context.measure(in: view, rowCount: rowCount) {
            view.mergeChanges(saved)
            return observer.noticedCount
        }
        var sample = measured
        sample[.missed] = Double(rowCount - noticedCount)
        let sum = view.performAndWait { observer.sumOfQuantities() }
        try coordinator.removePersistentStores()

        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        verifier.check("faults before the merge", observer.faultCount, equals: faultCount)
        // Whether noticed or not, each item has its new value.
        verifier.check("quantities", sum, equals: rowCount * Self.newQuantity)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    static let newQuantity = 1_000_000
}

extension ManagedObjectContext {
    /// - Returns: What the save has announced.
    fileprivate func changeAllQuantities() throws -> ObjectChanges {
        let changes = Mutex(ObjectChanges())
        let observation = observe { notification in
            if case .didSave(let saved) = notification { changes.withLock { $0 = saved } }
        }
        defer { withExtendedLifetime(observation) {} }
        try performAndWait {
            for item in try Item.all(in: self) {
                item.quantity = Int32(NoticesWorkload.newQuantity)
            }
            try save()
        }
        return changes.withLock { $0 }
    }
}

/// Notices changes of all items of a view.
private final class ItemObserver: @unchecked Sendable {
    // @unchecked Sendable: everything is used on the view's queue, but for `faultCount`, which is
    // read when the view has nothing more to do.

    enum Kind: String, CaseIterable {
        /// The context's notifications.
        case context
        /// Observations of a property of each item.
        case properties
        /// A results controller.
        case controller
    }

    private let kind: Kind
    private let view: ManagedObjectContext
    private var items: [Item] = []
    private var noticed: Set<ManagedObjectID> = []
    private(set) var faultCount = 0

    private var observation: Observation?
    private var propertyObservations: [PropertyObservation] = []
    private var controller: FetchedResultsController<Item>?

    init(_ kind: Kind, of view: ManagedObjectContext) {
        self.kind = kind
        self.view = view
    }

    var noticedCount: Int { noticed.count }

    /// Registers all items and observes them.
    ///
    /// - Parameter faultCount: how many of them are faults.
    func observe(faultCount: Int) throws {
        items = try Item.all(in: view, sortedBy: [.ascending("number")])
        if kind == .controller { try followList() }
        for item in items[..<faultCount] { view.refresh(item, mergeChanges: false) }
        for item in items[faultCount...] { _ = item.quantity }
        if kind == .context { observeContext() }
        if kind == .properties {
            propertyObservations = try items.map { item in
                try item.observe("quantity") { [weak self] in self?.noticed.insert($0.objectID) }
            }
        }
        noticed = []
        self.faultCount = items.count(where: \.isFault)
    }

    private func observeContext() {
        observation = view.observe { [weak self] notification in
            guard case .objectsDidChange(let changes) = notification else { return }
            self?.noticed.formUnion(changes.updated + changes.refreshed)
        }
    }

    private func followList() throws {
        let list = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
        let controller = FetchedResultsController<Item>(list, in: view)
        controller.delegate = self
        try controller.performFetch()
        self.controller = controller
    }

    func sumOfQuantities() -> Int { items.reduce(0) { $0 + Int($1.quantity) } }
}

extension ItemObserver: FetchedResultsChangeDelegate {
    func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {}

    func controller(
        _ controller: FetchedResultsController<Item>,
        didChange section: FetchedResultsSection<Item>, _ change: FetchedResultsSectionChange
    ) {}

    func controller(
        _ controller: FetchedResultsController<Item>, didChange object: Item,
        _ change: FetchedResultsChange
    ) {
        noticed.insert(object.objectID)
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {}
}

extension Metric {
    fileprivate static let missed = Metric("missed", unit: .count)
}

extension WorkloadKind {
    static let notices = WorkloadKind(
        name: "notices", summary: "notice what a view merges, in faults and in realised items",
        subjects: [.engine],
        data: .own({ ItemStore(rowCount: $0.integer("rows"), features: [.indexedNumber]) }),
        parameters: [
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "1000",
                summary: "items, all of which are changed"),
            WorkloadParameter(
                name: "faults", values: .integer(0...100), defaultValue: "100",
                summary: "percent of the view's items that are faults"),
            WorkloadParameter(
                name: "observer", values: .cases(of: ItemObserver.Kind.self),
                defaultValue: "context",
                summary: "the context's notifications, a property of each item, or a results list"),
        ],
        extraMetrics: [.missed],
        run: NoticesWorkload.run)
}
