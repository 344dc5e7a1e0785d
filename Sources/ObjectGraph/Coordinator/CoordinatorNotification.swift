/// Changes of a coordinator's stores (spec §4.5, §10.5).
///
/// Remote changes are posted on a queue of their own, the others on the thread that makes the
/// change.
public enum CoordinatorNotification: Sendable, Hashable {
    /// Stores are about to be added or removed.
    case storesWillChange(StoreChanges)

    /// Stores were added or removed.
    case storesDidChange(StoreChanges)

    /// A store is about to be removed; it can still be used.
    case willRemoveStore(PersistentStoreHandle)

    /// A store with ``PersistentStoreDescription/postsRemoteChanges`` was written.
    case remoteChange(RemoteChange)

    /// The file of such a store was deleted, moved or replaced, so that its remote changes have
    /// ended. Saves to the store throw. To go on, remove the store and add it again.
    case remoteChangesDidEnd(PersistentStoreHandle)
}

/// One or more transactions were committed to a store: by a save or a batch request of this
/// coordinator or of another one, in this process or another one (spec §10.5).
///
/// Says that something changed, and not what.
public struct RemoteChange: Sendable, Hashable {
    /// The store with its identifier and URL.
    public let store: PersistentStoreHandle

    /// The newest place in the store's history; nil if it has none, or cannot be read just now.
    ///
    /// To learn what has changed, fetch the history after the place where the last fetch ended.
    public let historyToken: PersistentHistoryToken?
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
    /// Calls the handler with each change of the stores, before the next one happens, and with the
    /// remote changes of each store, one at a time.
    public func observe(
        _ handler: @escaping @Sendable (CoordinatorNotification) -> Void
    ) -> Observation {
        observers.add(handler)
    }

    /// The changes of the stores from now on. There is no limit on the number of unread ones.
    public var notifications: AsyncStream<CoordinatorNotification> { observers.stream }
}
