import Synchronization

/// What a context tells its observers. Values only, so that they may be passed to any queue (spec §4.5).
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

    /// Whether every object of the context has become invalid, as after `reset`.
    public var invalidatesAll = false

    public init(
        inserted: [ManagedObjectID] = [], updated: [ManagedObjectID] = [],
        deleted: [ManagedObjectID] = [], refreshed: [ManagedObjectID] = [],
        invalidatesAll: Bool = false
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        self.refreshed = refreshed
        self.invalidatesAll = invalidatesAll
    }

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && !invalidatesAll
    }
}

/// Keeps an observer going; it ends with `cancel` or when the observation is released.
public final class Observation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the observer; a call that is under way is not waited for.
    public func cancel() { end() }
}

extension ManagedObjectContext {
    private static let lastObserver = Atomic<UInt64>(0)

    /// Calls the handler with everything that happens, on the context's queue, before the next thing happens.
    ///
    /// May be called from any thread.
    public func observe(
        _ handler: @escaping @Sendable (ContextNotification) -> Void
    ) -> Observation {
        let number = Self.lastObserver.add(1, ordering: .relaxed).newValue
        observers.withLock { $0[number] = handler }
        return Observation { [weak self] in
            _ = self?.observers.withLock { $0.removeValue(forKey: number) }
        }
    }

    /// What happens from now on, without limit to how much may wait to be read.
    public var notifications: AsyncStream<ContextNotification> {
        AsyncStream { continuation in
            let observation = observe { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    var hasObservers: Bool { observers.withLock { !$0.isEmpty } }

    func post(_ notification: ContextNotification) {
        for observer in observers.withLock({ Array($0.values) }) { observer(notification) }
    }
}
