/// What a coordinator tells its observers about its stores, on the thread of whoever changes them (spec §4.5).
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
    /// Calls the handler with everything that happens to the stores, before the next thing happens.
    public func observe(
        _ handler: @escaping @Sendable (CoordinatorNotification) -> Void
    ) -> Observation {
        observers.add(handler)
    }

    /// What happens to the stores from now on, without limit to how much may wait to be read.
    public var notifications: AsyncStream<CoordinatorNotification> { observers.stream }
}
