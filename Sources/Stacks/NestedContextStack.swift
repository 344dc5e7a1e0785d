import ObjectGraph

/// Contexts in a chain of parents, each save going up one level at a time (spec §4.2, §13.1).
///
///     store ← coordinator ← root (private) ← view (main) ← workers
///
/// A worker's save changes the view's objects in memory, on the main queue, and reaches the file when the levels below
/// are saved. Nothing is merged and nothing compares versions between the levels. A change that the store refuses stays
/// in the root, and every later save is refused with it, until the view and the root are rolled back.
public final class NestedContextStack: PersistenceStack {
    public enum Variant: Sendable, Hashable {
        /// As drawn above.
        case workersOnMain
        /// Workers are children of the root, beside the view, which merges the root's saves.
        case workersOnRoot
        /// No root: the view is on the coordinator and writes to the file on the main queue.
        case twoLevels
    }

    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let view: ManagedObjectContext
        let workerParent: ManagedObjectContext

        init(_ configuration: StackConfiguration, _ variant: Variant) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            if variant == .twoLevels {
                view = configuration.makeContext(.mainQueue, on: coordinator, name: "view")
                workerParent = view
            } else {
                let root = configuration.makeContext(.privateQueue, on: coordinator, name: "root")
                view = configuration.makeContext(.mainQueue, below: root, name: "view")
                workerParent = variant == .workersOnRoot ? root : view
                view.automaticallyMergesChangesFromParent = variant == .workersOnRoot
            }
        }
    }

    public let kind: StackKind
    public let configuration: StackConfiguration
    private let contexts: Lifecycle<Contexts>

    /// Opens the store.
    ///
    /// - Throws: `StoreError` if it cannot be opened.
    public init(_ configuration: StackConfiguration, variant: Variant = .workersOnMain) throws {
        kind =
            switch variant {
            case .workersOnMain: .nested
            case .workersOnRoot: .nestedWorkersOnRoot
            case .twoLevels: .nestedTwoLevel
            }
        self.configuration = configuration
        contexts = Lifecycle(kind, configuration) { try Contexts(configuration, variant) }
        _ = try contexts.current()
    }

    public var viewContext: ManagedObjectContext { get throws { try contexts.current().view } }

    public func makeWorkerContext() throws -> ManagedObjectContext {
        let parent = try contexts.current().workerParent
        return configuration.makeContext(.privateQueue, below: parent, name: "worker")
    }

    /// Beside the chain, because a context with a parent takes no batch requests.
    public func makeBatchContext() throws -> ManagedObjectContext {
        let coordinator = try contexts.current().coordinators[0]
        return configuration.makeContext(.privateQueue, on: coordinator, name: "batch")
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
