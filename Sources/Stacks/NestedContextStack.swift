import ObjectGraph

/// Contexts in a chain of parents: each save goes up one level (spec §4.2, §13.1).
///
///     store ← coordinator ← root (private) ← view (main) ← workers
///
/// A worker's save changes the view's objects in memory, on the main queue, and reaches the file
/// when the view and the root are saved. Between the levels nothing is merged and no versions are
/// compared. A change that the store refuses stays in the root. Every later save then fails with
/// it, until the view and the root are rolled back.
public final class NestedContextStack: PersistenceStack {
    public enum Variant: Sendable, Hashable {
        /// As drawn above.
        case workersOnMain
        /// Workers are children of the root, beside the view, which merges the root's saves.
        case workersOnRoot
        /// No root: the view is on the coordinator and writes to the file on the main queue.
        case twoLevels
        /// As drawn above, and each save starts a save of the parent on the parent's queue, up to
        /// the store. A plain `save` returns before the file has the changes (spec §13.1).
        /// ``settle()`` waits for them and throws the first error.
        case propagating
        /// As drawn above, but batch work uses a coordinator of its own, and the view refetches
        /// afterwards.
        case isolatedBatch
    }

    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let view: ManagedObjectContext
        let workerParent: ManagedObjectContext
        let saves = SaveObserver()

        init(_ configuration: StackConfiguration, _ variant: Variant) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators =
                variant == .isolatedBatch
                ? [coordinator, try configuration.openCoordinator()] : [coordinator]
            if variant == .twoLevels {
                view = configuration.makeContext(.mainQueue, on: coordinator, name: "view")
                workerParent = view
            } else {
                let root = configuration.makeContext(.privateQueue, on: coordinator, name: "root")
                view = configuration.makeContext(.mainQueue, below: root, name: "view")
                workerParent = variant == .workersOnRoot ? root : view
                view.automaticallyMergesChangesFromParent = variant == .workersOnRoot
                if variant == .propagating { propagateSaves(of: view) }
            }
        }

        /// After each save of the context, saves its parent on the parent's queue.
        func propagateSaves(of context: ManagedObjectContext) {
            guard let parent = context.parent else { return }
            saves.afterSaves(of: context, in: [parent]) { parent, _ in try parent.save() }
        }
    }

    public let kind: StackKind
    public let configuration: StackConfiguration
    private let variant: Variant
    private let contexts: Lifecycle<Contexts>

    /// Opens the store.
    ///
    /// - Throws: `StackError.storeNotShared` if the variant opens the store twice and the location
    ///   does not allow it; `StoreError` if the store cannot be opened.
    public init(_ configuration: StackConfiguration, variant: Variant = .workersOnMain) throws {
        kind =
            switch variant {
            case .workersOnMain: .nested
            case .workersOnRoot: .nestedWorkersOnRoot
            case .twoLevels: .nestedTwoLevel
            case .propagating: .nestedPropagating
            case .isolatedBatch: .nestedIsolatedBatch
            }
        self.configuration = configuration
        self.variant = variant
        contexts = try Lifecycle(kind, configuration) { try Contexts(configuration, variant) }
    }

    public var viewContext: ManagedObjectContext { get throws { try contexts.current().view } }

    public func makeWorkerContext() throws -> ManagedObjectContext {
        let current = try contexts.current()
        let worker = configuration.makeContext(
            .privateQueue, below: current.workerParent, name: "worker")
        if variant == .propagating { current.propagateSaves(of: worker) }
        return worker
    }

    /// On a coordinator directly: a context with a parent takes no batch requests.
    public func makeBatchContext() throws -> ManagedObjectContext {
        let coordinators = try contexts.current().coordinators
        return configuration.makeContext(
            .privateQueue, on: coordinators[coordinators.count - 1], name: "batch")
    }

    public func settle() throws {
        let current = try contexts.current()
        try current.saves.wait()
        current.view.performAndWait {}
    }

    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let nested = StackKind(
        "nested", summary: "private root, main context below it, workers below main",
        visibility: .immediately, concurrentChanges: .lastSaveWins
    ) { try NestedContextStack($0, variant: .workersOnMain) }

    public static let nestedPropagating = StackKind(
        "nested-propagating", summary: "nested, and each save also saves the parent",
        visibility: .immediately, concurrentChanges: .lastSaveWins, traits: [.savesPropagate]
    ) { try NestedContextStack($0, variant: .propagating) }

    public static let nestedIsolatedBatch = StackKind(
        "nested-isolated-batch", summary: "nested, batch work on a coordinator of its own",
        visibility: .immediately, concurrentChanges: .lastSaveWins, traits: [.opensStoreTwice]
    ) { try NestedContextStack($0, variant: .isolatedBatch) }

    public static let nestedTwoLevel = StackKind(
        "nested-two-level", summary: "main context on the coordinator, workers below it",
        visibility: .immediately, concurrentChanges: .lastSaveWins
    ) { try NestedContextStack($0, variant: .twoLevels) }

    public static let nestedWorkersOnRoot = StackKind(
        "nested-workers-on-root",
        summary: "private root with the main context and the workers below it",
        visibility: .afterMerge, concurrentChanges: .lastSaveWins
    ) { try NestedContextStack($0, variant: .workersOnRoot) }
}
