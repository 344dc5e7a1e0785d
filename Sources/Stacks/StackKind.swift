/// A stack, or a variant of one: its name, what it promises, and how it is opened.
///
/// Each is declared in the file of its stack and registered in ``all``.
public struct StackKind: Sendable {
    /// Its name in reports and on the command line.
    public let name: String
    /// The arrangement in a few words.
    public let summary: String
    /// When the view shows the saves of other contexts.
    public let visibility: Visibility
    /// What happens when two workers change the same property.
    public let concurrentChanges: ConcurrentChanges
    /// What else it does, unlike other kinds.
    public let traits: Set<Trait>
    private let open: @Sendable (StackConfiguration) throws -> any PersistenceStack

    public init(
        _ name: String, summary: String, visibility: Visibility,
        concurrentChanges: ConcurrentChanges, traits: Set<Trait> = [],
        open: @escaping @Sendable (StackConfiguration) throws -> any PersistenceStack
    ) {
        self.name = name
        self.summary = summary
        self.visibility = visibility
        self.concurrentChanges = concurrentChanges
        self.traits = traits
        self.open = open
    }

    /// Opens a stack of this kind.
    ///
    /// - Throws: `StoreError` if the store cannot be opened; `StackError.storeNotShared` if it
    ///   would be opened twice and each opening would see only its own rows.
    public func make(_ configuration: StackConfiguration) throws -> any PersistenceStack {
        try open(configuration)
    }

    /// All stacks and variants: the tests check their promises, and `bench` offers them. This is
    /// the only place where a stack is registered. Names are unique.
    public static let all: [StackKind] = [
        .mainOnly, .single,
        .nested, .nestedPropagating, .nestedTwoLevel, .nestedWorkersOnRoot, .nestedIsolatedBatch,
        .shared, .sharedBothWays, .sharedReadFirst, .sharedNoMerge, .container,
        .isolatedBatch, .isolatedBatchHistory, .isolatedBatchRefetch,
        .serialWriter,
    ]
}

// What each kind promises; the law tests check it.
extension StackKind {
    /// When the view context's objects show what `saveToDisk` saved in another context.
    public enum Visibility: Sendable, Hashable {
        /// When `saveToDisk` returns.
        case immediately
        /// In blocks enqueued on the view context's queue after `saveToDisk` has returned.
        case afterMerge
        /// By itself soon after `saveToDisk` has returned, and at once in blocks enqueued on the
        /// view context's queue after `settle()` has returned.
        case afterRemoteChange
        /// In objects fetched after `refreshView()`.
        case afterRefetch
    }

    /// What happens when two workers change the same property from the same old value.
    public enum ConcurrentChanges: Sendable, Hashable {
        /// The second save finds the conflict; the configuration's merge policy decides.
        case detected
        /// The second save replaces the first change unnoticed: a child's save does not compare
        /// versions with its parent.
        case lastSaveWins
        /// One context makes all changes, so the second one is made from the new value.
        case impossible
    }

    /// What a stack does that others do not.
    public enum Trait: Sendable, Hashable {
        /// Opens its store more than once, so it refuses a store that openings do not share.
        case opensStoreTwice
        /// A worker's plain `save` reaches the store without a further call;
        /// ``PersistenceStack/settle()`` waits for it.
        case savesPropagate
        /// The view also shows batch requests and what other processes have written, as it shows
        /// saves. The store keeps a history, which the stack does not delete.
        case followsHistory
        /// Objects in workers show what the view saved, in blocks enqueued after the save.
        case mergesIntoWorkers
        /// `saveToDisk` refuses the view.
        case viewOnlyReads
    }
}
