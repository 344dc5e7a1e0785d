import ObjectGraph

/// All flights in the order of their distance, as a list of the view shows them.
final class FlightsList: Sendable, FetchedResultsSnapshotDelegate {
    private let controller: FetchedResultsController<Flight>

    /// Follows the view's flights as long as the list lives. Call it on the view's queue.
    init(in view: ManagedObjectContext) throws {
        controller = FetchedResultsController(
            FetchRequest(entityName: "Flight", sortKeys: [.descending("distance")]), in: view)
        controller.delegate = self
        try controller.performFetch()
    }

    /// How many flights it shows. Takes the view's queue.
    var count: Int { controller.context.performAndWait { controller.count } }

    func controller(
        _ controller: FetchedResultsController<Flight>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {}
}
