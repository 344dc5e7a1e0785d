import Foundation
import Synchronization

/// A scratch pad of managed objects: fetches them, keeps one object for each row, tracks changes,
/// and saves them together.
///
/// A context is bound to a queue of its own or to the main queue. Everything but its identity and
/// `perform` must be used on that queue. The level above is a coordinator, or a parent context,
/// which takes a save as pending changes of its own. Source: spec §4.
public final class ManagedObjectContext: @unchecked Sendable {
    // @unchecked Sendable: all mutable state is used on the context's queue only, which `perform`
    // and `performAndWait` enter. What other threads may touch (updates, observers, the owner)
    // has its own lock or atomic.

    /// Which queue a context is bound to.
    public enum ConcurrencyType: Sendable, Hashable {
        case privateQueue
        case mainQueue
    }

    public var concurrencyType: ConcurrencyType { queue.type }

    /// For people; appears in messages, and in the histories of stores.
    public let name: String?

    /// The context that takes this one's saves; nil if the coordinator does.
    public let parent: ManagedObjectContext?

    /// The number of contexts above this one.
    let depth: Int

    /// The coordinator at the end of the chain of parents.
    public let coordinator: PersistentStoreCoordinator

    /// How conflicts are settled when saving to the store. Ignored in a context with a parent
    /// (spec §4.2).
    public var mergePolicy: MergePolicy = .error

    /// The author of the changes, who stands in the histories of the stores that this context saves
    /// to (spec §4.6). Ignored in a context with a parent.
    public var transactionAuthor: String?

    /// How long a cached row may be used when a fault fires; nil means without limit (spec §3.1).
    @exclusivity(unchecked) public var stalenessInterval: Duration? {
        didSet {
            identityMap.setStalenessInterval(isSet: stalenessInterval != nil)
        }
    }

    /// Called when a fault cannot be fired because the store fails, and when a detached object is
    /// changed.
    ///
    /// After a failed read the object reads as nil and stays a fault, so the next use tries again.
    /// For a detached object the error is a `DetachedObjectError`. The default handler logs the
    /// error.
    ///
    /// Values computed from that nil are not saved: `save` throws `SaveError.unreadObject` until
    /// the object is refreshed without its changes, or the context is rolled back or reset.
    public var faultHandler: @Sendable (ManagedObjectID, any Error) -> Void = logsFaults

    /// Registers undo and redo actions; nothing can be undone if nil, the default (spec §2.9).
    @exclusivity(unchecked) public var undoManager: UndoManager? {
        willSet { processPendingChanges() }
        didSet {
            oldValue?.detach(self)
            undoManager?.attach(self)
        }
    }

    /// Whether delete rules are applied when pending changes are processed; if not, only by the
    /// next save (spec §2.6).
    public var propagatesDeletesAtEndOfEvent = true

    /// Whether an object whose row is found gone counts as deleted. If not, the fault handler is
    /// called each time (spec §3.5). The object reads as nil either way.
    public var shouldDeleteInaccessibleFaults = true

    /// For a migration, which validates at its end: the entities, by index, with saved objects that
    /// are invalid or were changed since. Saves then require only that values can be stored. Nil if
    /// saves validate.
    var deferredValidation: Set<Int>?

    /// Whether the context keeps all its objects, including unreferenced ones (spec §2.12).
    public var retainsRegisteredObjects = false

    let queue: ContextQueue
    let model: ManagedObjectModel

    // MARK: State of the queue

    // Exclusivity is unchecked where each inserted or changed object adds to a list: the check
    // costs more than the append, and no user code runs while one of these is being changed.

    /// The level above. Only `switchChannel(to:)` changes it.
    @exclusivity(unchecked) var channel: any ObjectChannel

    /// The registered objects.
    @exclusivity(unchecked) var identityMap: IdentityMap
    /// The slab in which drafts of new objects are made.
    @exclusivity(unchecked) var draftSlab: RowSlab?
    /// The pending changes.
    @exclusivity(unchecked) var tracker = ChangeTracker()
    var failedReads = FailedReads()
    var newestRows = NewestRows()
    var undoRecorder = UndoRecorder()

    @exclusivity(unchecked) var propertyObservers = PropertyObservers()

    /// The notifications that followers have not taken; nil if none is being posted.
    var waitingForFollowers: [() -> ContextNotification]?

    // MARK: State of any thread

    /// Whether a context was ever made below this one.
    let hasChildren = Atomic<Bool>(false)
    let observers = Observers<ContextNotification>()

    /// As observers, for results controllers: their notifications of merges name objects that the
    /// context has not registered too.
    let followers = Observers<ContextNotification>()
    let pendingUpdates = Mutex(PendingUpdates())

    /// A context whose saves go to the stores of a coordinator.
    public convenience init(
        _ type: ConcurrencyType, coordinator: PersistentStoreCoordinator, name: String? = nil
    ) {
        self.init(type, coordinator, parent: nil, name: name)
    }

    /// The largest number of contexts above a context. Each of them uses part of the call stack
    /// while it reads or saves.
    public static let maximumDepth = 100

    /// A context whose saves become pending changes of another context.
    ///
    /// A context with more than `maximumDepth` contexts above it neither reads nor saves: both
    /// throw `ContextDepthError`.
    public convenience init(
        _ type: ConcurrencyType, parent: ManagedObjectContext, name: String? = nil
    ) {
        self.init(type, parent.coordinator, parent: parent, name: name)
        // A context that is too deep has read nothing, so no save concerns it.
        guard depth <= Self.maximumDepth else { return }
        parent.hasChildren.store(true, ordering: .relaxed)
        parent.pendingUpdates.withLock { $0.children.append(WeakChild(context: self)) }
    }

    private init(
        _ type: ConcurrencyType, _ coordinator: PersistentStoreCoordinator,
        parent: ManagedObjectContext?, name: String?
    ) {
        self.name = name
        self.parent = parent
        depth = parent.map { $0.depth + 1 } ?? 0
        self.coordinator = coordinator
        channel = parent ?? coordinator
        model = coordinator.model
        queue = ContextQueue(type, name: name, checksUse: coordinator.debug.checksQueues)
        identityMap = IdentityMap(of: coordinator, below: parent == nil ? coordinator : nil)
    }

    deinit { identityMap.unregisterAll() }
}

/// Messages of other contexts to a context, which takes them when its queue is next entered.
struct PendingUpdates {
    /// Objects whose row was written by a save further up, with their primary keys.
    var permanentKeys: [PermanentKey] = []
    /// How many times permanent keys were delivered.
    var deliveryCount = 0
    var children: [WeakChild] = []
    /// Whether a context above was reset, so that the rows of the objects here are invalid.
    var parentWasReset = false
    /// Whether the context on the coordinator reads another generation now, so that rows of faults
    /// here may be of the earlier one.
    var parentHasMoved = false
    var mergesAutomatically = false

    /// The children that still exist; the others are removed.
    var liveChildren: [ManagedObjectContext] {
        mutating get {
            // Held first, so that no child is deallocated here, while the lock is held.
            let live = children.compactMap(\.context)
            if live.count < children.count { children.removeAll { $0.context == nil } }
            return live
        }
    }
}

struct WeakChild {
    weak var context: ManagedObjectContext?
}
