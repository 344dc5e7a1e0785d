/// The result of a batch request.
public struct BatchResult: Sendable, Hashable {
    /// The number of rows inserted, updated or deleted. Of an insert, the rows of the request that
    /// were inserted or have updated a stored row.
    public var count = 0

    /// The rows by what happened to them, each once, if the request reports them; otherwise empty.
    /// `mergeChanges(_:into:)` takes them.
    public var changes = ObjectChanges()

    /// The identifiers in `changes`: inserted rows, updated ones, deleted ones.
    public var objectIDs: [ManagedObjectID] {
        changes.inserted + changes.updated + changes.deleted
    }
}
