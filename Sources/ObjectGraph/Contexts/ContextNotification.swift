/// A notification of a context to its observers. Values only, so it can be passed to any queue
/// (spec §4.5).
public enum ContextNotification: Sendable, Hashable {
    /// Pending changes were processed, or objects were refreshed, rolled back or reset.
    case objectsDidChange(ObjectChanges)

    /// A save begins.
    case willSave

    /// A save is done, in the store or in the parent context.
    case didSave(ObjectChanges)

    /// Changes of another context were merged.
    case didMerge(ObjectChanges)
}

/// Objects by what happened to them.
public struct ObjectChanges: Sendable, Hashable {
    public var inserted: [ManagedObjectID] = []
    public var updated: [ManagedObjectID] = []
    public var deleted: [ManagedObjectID] = []

    /// Objects that took newer values without being changed here.
    public var refreshed: [ManagedObjectID] = []

    /// Objects that can no longer be used, because their store was removed or their context was
    /// reset.
    public var invalidated: [ManagedObjectID] = []

    /// Whether every object of the context has become invalid, as after `reset`; `invalidated`
    /// lists them.
    public var invalidatesAll = false

    /// The place after these changes in the histories of the stores that they were written to; nil
    /// if none records them (spec §10.4).
    public var historyToken: PersistentHistoryToken?

    public init(
        inserted: [ManagedObjectID] = [], updated: [ManagedObjectID] = [],
        deleted: [ManagedObjectID] = [], refreshed: [ManagedObjectID] = [],
        invalidated: [ManagedObjectID] = [], invalidatesAll: Bool = false,
        historyToken: PersistentHistoryToken? = nil
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.refreshed = refreshed
        self.invalidated = invalidated
        self.invalidatesAll = invalidatesAll
        self.historyToken = historyToken
    }

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty && !invalidatesAll
    }
}

extension ManagedObjectContext {
    /// Calls the handler for each notification, on the context's queue.
    ///
    /// The handler runs before the context continues. May be called from any thread.
    public func observe(
        _ handler: @escaping @Sendable (ContextNotification) -> Void
    ) -> Observation {
        observers.add(handler)
    }

    /// The notifications from now on. The number that may wait to be read is not limited.
    public var notifications: AsyncStream<ContextNotification> { observers.stream }

    var hasObservers: Bool { !observers.isEmpty || !followers.isEmpty }

    func post(_ notification: ContextNotification) {
        post(notification, followed: notification)
    }
}
