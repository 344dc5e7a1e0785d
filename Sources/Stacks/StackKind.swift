/// Every stack and variant, by the name it has in reports and on the command line.
public enum StackKind: String, Sendable, Hashable, Codable, CaseIterable {
    case nested
    case nestedTwoLevel = "nested-two-level"
    case nestedWorkersOnRoot = "nested-workers-on-root"
    case shared
    case sharedAutomatic = "shared-automatic"
    case sharedNoMerge = "shared-no-merge"
    case single
    case isolatedBatch = "isolated-batch"
    case isolatedBatchRefetch = "isolated-batch-refetch"

    /// Opens a stack of this kind; a `SingleContextStack` opens its store on first use.
    ///
    /// - Throws: `StoreError` if the store cannot be opened; `StackError.needsFile` for a store in memory where
    ///   `needsFile`.
    public func make(_ configuration: StackConfiguration) throws -> any PersistenceStack {
        switch self {
        case .nested: try NestedContextStack(configuration, variant: .workersOnMain)
        case .nestedTwoLevel: try NestedContextStack(configuration, variant: .twoLevels)
        case .nestedWorkersOnRoot: try NestedContextStack(configuration, variant: .workersOnRoot)
        case .shared: try SharedCoordinatorStack(configuration, merging: .byNotification)
        case .sharedAutomatic: try SharedCoordinatorStack(configuration, merging: .automatic)
        case .sharedNoMerge: try SharedCoordinatorStack(configuration, merging: .never)
        case .single: SingleContextStack(configuration)
        case .isolatedBatch: try IsolatedBatchStack(configuration, view: .mergesIdentifiers)
        case .isolatedBatchRefetch: try IsolatedBatchStack(configuration, view: .refetches)
        }
    }

    /// Whether the stack opens its store more than once and so cannot work in memory.
    public var needsFile: Bool {
        switch self {
        case .isolatedBatch, .isolatedBatchRefetch: true
        default: false
        }
    }
}

// What each kind promises; the laws in the tests hold it to that.
extension StackKind {
    /// When the objects of the view context show what `saveToDisk` has saved in another context.
    public enum Visibility: Sendable, Hashable {
        /// When `saveToDisk` returns.
        case immediately
        /// In blocks enqueued on the view context's queue after `saveToDisk` has returned.
        case afterMerge
        /// In objects fetched after `refreshView()`.
        case afterRefetch
    }

    public var visibility: Visibility {
        switch self {
        case .nested, .nestedTwoLevel, .single: .immediately
        case .nestedWorkersOnRoot, .shared, .sharedAutomatic, .isolatedBatch: .afterMerge
        case .sharedNoMerge, .isolatedBatchRefetch: .afterRefetch
        }
    }

    /// What becomes of two changes to the same property that were made from the same old value in two contexts.
    public enum ConcurrentChanges: Sendable, Hashable {
        /// The second save finds the conflict; the configuration's merge policy decides.
        case detected
        /// The second save replaces the first change unnoticed: nothing compares versions between child and parent.
        case lastSaveWins
        /// There is one context, so the second change is made from the new value.
        case impossible
    }

    public var concurrentChanges: ConcurrentChanges {
        switch self {
        case .nested, .nestedTwoLevel, .nestedWorkersOnRoot: .lastSaveWins
        case .shared, .sharedAutomatic, .sharedNoMerge, .isolatedBatch, .isolatedBatchRefetch:
            .detected
        case .single: .impossible
        }
    }
}
