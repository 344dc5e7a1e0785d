/// A stack, or a variant of one: its name, what it promises, and how it is opened.
///
/// Each is declared in the file of its stack and registered in ``all``.
public struct StackKind: Sendable {
    /// What it is called in reports and on the command line.
    public let name: String
    /// The arrangement in a few words.
    public let summary: String
    /// When the view shows what was saved in another context.
    public let visibility: Visibility
    /// What becomes of two changes to the same property.
    public let concurrentChanges: ConcurrentChanges
    /// Whether the stack opens its store more than once and so cannot work in memory.
    public let needsFile: Bool
    private let open: @Sendable (StackConfiguration) throws -> any PersistenceStack

    public init(
        _ name: String, summary: String, visibility: Visibility,
        concurrentChanges: ConcurrentChanges, needsFile: Bool = false,
        open: @escaping @Sendable (StackConfiguration) throws -> any PersistenceStack
    ) {
        self.name = name
        self.summary = summary
        self.visibility = visibility
        self.concurrentChanges = concurrentChanges
        self.needsFile = needsFile
        self.open = open
    }

    /// Opens a stack of this kind; a `SingleContextStack` opens its store on first use.
    ///
    /// - Throws: `StoreError` if the store cannot be opened; `StackError.needsFile` for a store in memory where
    ///   `needsFile`.
    public func make(_ configuration: StackConfiguration) throws -> any PersistenceStack {
        try open(configuration)
    }

    /// The stacks and variants that the laws are tried on and that `bench` offers: the one place where a stack is
    /// registered. Names are unique.
    public static let all: [StackKind] = [
        .nested, .nestedTwoLevel, .nestedWorkersOnRoot,
        .shared, .sharedAutomatic, .sharedNoMerge,
        .single,
        .isolatedBatch, .isolatedBatchRefetch,
    ]
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

    /// What becomes of two changes to the same property that were made from the same old value in two contexts.
    public enum ConcurrentChanges: Sendable, Hashable {
        /// The second save finds the conflict; the configuration's merge policy decides.
        case detected
        /// The second save replaces the first change unnoticed: nothing compares versions between child and parent.
        case lastSaveWins
        /// There is one context, so the second change is made from the new value.
        case impossible
    }
}
