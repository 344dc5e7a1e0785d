import ObjectGraph

extension FollowedList {
    /// The shape in which a delegate takes changes.
    enum Shape: String, CaseIterable {
        case changes, snapshots, differences
    }
}

extension FollowedList.Shape {
    /// A delegate that takes the changes in this shape.
    func delegate(
        _ notify: @escaping () -> Void
    ) -> any FetchedResultsControllerDelegate<Item> {
        switch self {
        case .changes: ChangeDelegate(notify)
        case .snapshots: SnapshotDelegate(notify)
        case .differences: DifferenceDelegate(notify)
        }
    }
}

private final class ChangeDelegate: FetchedResultsChangeDelegate {
    private let notify: () -> Void

    init(_ notify: @escaping () -> Void) { self.notify = notify }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {}

    func controller(
        _ controller: FetchedResultsController<Item>,
        didChange section: FetchedResultsSection<Item>, _ change: FetchedResultsSectionChange
    ) {}

    func controller(
        _ controller: FetchedResultsController<Item>, didChange object: Item,
        _ change: FetchedResultsChange
    ) {}

    func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) { notify() }
}

private final class SnapshotDelegate: FetchedResultsSnapshotDelegate {
    private let notify: () -> Void

    init(_ notify: @escaping () -> Void) { self.notify = notify }

    func controller(
        _ controller: FetchedResultsController<Item>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) { notify() }
}

private final class DifferenceDelegate: FetchedResultsDifferenceDelegate {
    private let notify: () -> Void

    init(_ notify: @escaping () -> Void) { self.notify = notify }

    func controller(
        _ controller: FetchedResultsController<Item>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>
    ) { notify() }
}
