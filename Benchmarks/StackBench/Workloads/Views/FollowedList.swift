import Measuring
import ObjectGraph
import Stacks

/// Items that controllers or observers on the view's context follow, and the worker that changes
/// some of them.
final class FollowedList: @unchecked Sendable {
    // @unchecked Sendable: the controllers, the observations, `shown` and `notificationCount` are
    // used only on the view's queue, `changed` only on the worker's. Other state is changed only by
    // the measuring thread, which waits for the effects of each save.

    /// The change of each save, to items that are spread over the list.
    enum Change: String, CaseIterable {
        case update, insert
    }

    enum Watch: String, CaseIterable {
        /// One controller of all items.
        case list
        /// Several controllers of all items.
        case lists
        /// A controller for each of the first items that are changed.
        case objects
        /// An observer for each of the first items that are changed.
        case observers
    }

    /// No item has as great a quantity, so that each save changes its items.
    private static let firstValue: Int32 = 1_000_000

    private let stack: any PersistenceStack
    private let view: ManagedObjectContext
    private let worker: ManagedObjectContext
    private let change: Change
    private let watch: Watch
    private let rowCount: Int
    /// The rows of one save; only their numbers matter for an update.
    private let rows: [ItemRow]
    /// The sum of the quantities that the next update replaces.
    private var replacedQuantity = 0
    /// How many items the saves have inserted, and what they have added to the sum of quantities.
    private(set) var growth = (itemCount: 0, quantity: 0)
    private var changed: [Item] = []

    private var shown: [Item] = []
    private var controllers: [FetchedResultsController<Item>] = []
    private var observations: [PropertyObservation] = []
    private var delegate: (any FetchedResultsControllerDelegate<Item>)?
    /// The notifications since the last save began, and how many a save causes.
    private var notificationCount = 0
    private let expectedCount: Int

    private var saveCount = 0
    private let isShown = Arrival("show")
    private(set) var latencies = LatencyRecorder()

    init(_ stack: any PersistenceStack, _ context: WorkerContext) throws {
        self.stack = stack
        view = try stack.viewContext
        worker = try stack.makeWorkerContext()
        change = context.choice("change")
        watch = context.choice("watch")
        rowCount = context.integer("rows")
        let changeCount = context.integer("changes")
        guard change == .insert || changeCount <= rowCount else {
            throw WorkerFailure(reason: "a save cannot change \(changeCount) of \(rowCount) items")
        }
        guard change == .update || [.list, .lists].contains(watch) else {
            throw WorkerFailure(reason: "watch: \(watch) sees no insertions; use change: update")
        }
        var rows = ItemRow.generated(count: changeCount)
        for index in rows.indices { rows[index].number = Int64(index * rowCount / changeCount + 1) }
        self.rows = rows
        let watchers = context.integer("watchers")
        expectedCount =
            switch watch {
            case .list: 1
            case .lists: watchers
            case .objects, .observers: min(watchers, changeCount)
            }
        try openView(context.choice("shape"), batchSize: context.integer("fetchBatchSize"))
        if change == .update { try openWorker() }
    }

    // MARK: Watching

    private func openView(_ shape: Shape, batchSize: Int) throws {
        try view.performAndWait {
            // The view reports no changes of items that it has not read.
            if change == .update { shown = try changedItems(in: view) }
            let notify: () -> Void = { [weak self] in self?.noteNotification() }
            delegate = shape.delegate(notify)
            var list = FetchRequest(entityName: "Item", sortKeys: [.ascending("number")])
            list.fetchBatchSize = batchSize
            switch watch {
            case .list, .lists:
                controllers = (0..<expectedCount).map { _ in .init(list, in: view) }
            case .objects:
                controllers = try rows.prefix(expectedCount).map { row in
                    var one = list
                    one.predicate = try ObjectPredicate("number == %ld", row.number)
                    return FetchedResultsController(one, in: view)
                }
            case .observers:
                observations = try shown.prefix(expectedCount).map {
                    try $0.observe("quantity") { item in
                        // A merge makes it a fault, whose changes are not reported until it is read.
                        _ = (item as? Item)?.quantity
                        notify()
                    }
                }
            }
            for controller in controllers { controller.delegate = delegate }
            try fetchLists()
        }
    }

    private func fetchLists() throws {
        for controller in controllers { try controller.performFetch() }
    }

    private func changedItems(in context: ManagedObjectContext) throws -> [Item] {
        let predicate = try ObjectPredicate("number IN %@", rows.map(\.number))
        let items = try Item.all(in: context, where: predicate, sortedBy: [.ascending("number")])
        for item in items { _ = item.quantity }
        return items
    }

    private func noteNotification() {
        notificationCount += 1
        noteIfShown()
    }

    private func noteIfShown() {
        guard notificationCount >= expectedCount else { return }
        isShown.note { [self] saveCount in
            switch change {
            case .update: shown.last?.quantity == Self.firstValue + Int32(saveCount)
            case .insert:
                controllers.allSatisfy { $0.count == rowCount + saveCount * rows.count }
            }
        }
    }

    // MARK: Changing

    private func openWorker() throws {
        try worker.performAndWait {
            changed = try changedItems(in: worker)
            replacedQuantity = changed.reduce(0) { $0 + Int($1.quantity) }
        }
    }

    /// Changes items, saves as a user of the stack does, and waits until all watchers were notified.
    func changeAndSave() throws {
        saveCount += 1
        view.performAndWait { notificationCount = 0 }
        let fetchesAgain = stack.kind.visibility == .afterRefetch
        if !fetchesAgain { isShown.expect(saveCount) }
        let value = Self.firstValue + Int32(saveCount)
        let start = try worker.performAndWait {
            for item in changed { item.quantity = value }
            if change == .insert { insertItems(value) }
            let start = Stopwatch.nanoseconds()
            if stack.kind.traits.contains(.savesPropagate) {
                try worker.save()
            } else {
                try stack.saveToDisk(worker)
            }
            return start
        }
        noteGrowth(rows.count * Int(value))
        if fetchesAgain { try refetch() }
        latencies.record(intendedAt: start, completedAt: try isShown.wait())
        try stack.settle()
    }

    private func noteGrowth(_ quantity: Int) {
        growth.quantity += quantity
        switch change {
        case .insert: growth.itemCount += rows.count
        case .update:
            growth.quantity -= replacedQuantity
            replacedQuantity = quantity
        }
    }

    private func insertItems(_ value: Int32) {
        for var row in rows {
            row.quantity = value
            Item(context: worker).take(row)
        }
    }

    /// Fetches again, as the user of a stack without merges does, who does not know which objects
    /// the save has inserted.
    private func refetch() throws {
        try stack.refreshViewAndWait()
        try view.performAndWait {
            try fetchLists()
            notificationCount = expectedCount
            isShown.expect(saveCount)
            noteIfShown()
        }
    }

    // MARK: Verifying

    /// The number of controllers whose content differs from a fetch.
    func wrongListCount() throws -> Int {
        try view.performAndWait {
            try controllers.count { controller in
                let found = try view.fetchObjectIDs(controller.fetchRequest)
                return controller.snapshot?.objectIDs != found
            }
        }
    }
}
