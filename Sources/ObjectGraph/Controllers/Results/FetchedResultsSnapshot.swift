/// The sections and identifiers of a results controller at one time, which may cross queues (spec
/// §10.3).
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section with the identifiers of its objects.
    public struct Section: Sendable, Hashable {
        public let name: String
        public let objectIDs: [ManagedObjectID]
    }

    public let sections: [Section]

    /// The objects that were changed and kept their place, or were moved, since the snapshot
    /// before.
    public let reloadedObjectIDs: Set<ManagedObjectID>

    /// The identifiers of all objects in order.
    public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }
}
