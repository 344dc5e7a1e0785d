/// Changes of a coordinator's stores, posted on the thread that makes them (spec §4.5).
public enum CoordinatorNotification: Sendable, Hashable {
    /// Stores are about to be added or removed.
    case storesWillChange(StoreChanges)

    /// Stores were added or removed.
    case storesDidChange(StoreChanges)

    /// A store is about to be removed; it can still be used.
    case willRemoveStore(PersistentStoreHandle)
}

/// Stores by what happened to them.
public struct StoreChanges: Sendable, Hashable {
    public var added: [PersistentStoreHandle] = []
    public var removed: [PersistentStoreHandle] = []

    public init(added: [PersistentStoreHandle] = [], removed: [PersistentStoreHandle] = []) {
        self.added = added
        self.removed = removed
    }
}

extension PersistentStoreCoordinator {
    /// Calls the handler with each change of the stores, before the next one happens.
    public func observe(
        _ handler: @escaping @Sendable (CoordinatorNotification) -> Void
    ) -> Observation {
        observers.add(handler)
    }

    /// The changes of the stores from now on. There is no limit on the number of unread ones.
    public var notifications: AsyncStream<CoordinatorNotification> { observers.stream }
}
