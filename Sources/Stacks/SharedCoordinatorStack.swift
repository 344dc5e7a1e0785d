import ObjectGraph

/// The view and the workers side by side on one coordinator (spec §13.3).
///
///     store ← coordinator ← view (main)
///                         ← workers
///
/// A worker's save goes to the file at once, past the main queue, and the view learns of it by a merge.
public final class SharedCoordinatorStack: PersistenceStack {
    /// How the view learns of saves in workers.
    public enum Merging: Sendable, Hashable {
        /// The stack observes each worker and merges its did-save notifications.
        case byNotification
        /// The view merges the saves of all its siblings by itself.
        case automatic
        /// It does not: what it holds stays as it is until refreshed.
        case never
    }

    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let view: ManagedObjectContext
        let saves = SaveObserver()

        init(_ configuration: StackConfiguration, _ merging: Merging) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            view = configuration.makeContext(.mainQueue, on: coordinator, name: "view")
            view.automaticallyMergesChangesFromParent = merging == .automatic
        }
    }

    public let kind: StackKind
    public let configuration: StackConfiguration
    private let merging: Merging
    private let contexts: Lifecycle<Contexts>

    /// Opens the store.
    ///
    /// - Throws: `StoreError` if it cannot be opened.
    public init(_ configuration: StackConfiguration, merging: Merging = .byNotification) throws {
        kind =
            switch merging {
            case .byNotification: .shared
            case .automatic: .sharedAutomatic
            case .never: .sharedNoMerge
            }
        self.configuration = configuration
        self.merging = merging
        contexts = Lifecycle(kind, configuration) { try Contexts(configuration, merging) }
        _ = try contexts.current()
    }

    public var viewContext: ManagedObjectContext { get throws { try contexts.current().view } }

    public func makeWorkerContext() throws -> ManagedObjectContext {
        let current = try contexts.current()
        let worker = configuration.makeContext(
            .privateQueue, on: current.coordinators[0], name: "worker")
        if merging == .byNotification {
            current.saves.observe(worker) { [view = current.view] changes in
                view.perform { view.mergeChanges(changes) }
            }
        }
        return worker
    }

    public func makeBatchContext() throws -> ManagedObjectContext { try makeWorkerContext() }
    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let shared = StackKind(
        "shared",
        summary: "contexts side by side on one coordinator, merged by did-save notification",
        visibility: .afterMerge, concurrentChanges: .detected
    ) { try SharedCoordinatorStack($0, merging: .byNotification) }

    public static let sharedAutomatic = StackKind(
        "shared-automatic", summary: "the same, merged automatically",
        visibility: .afterMerge, concurrentChanges: .detected
    ) { try SharedCoordinatorStack($0, merging: .automatic) }

    public static let sharedNoMerge = StackKind(
        "shared-no-merge", summary: "the same, not merged: the view refetches",
        visibility: .afterRefetch, concurrentChanges: .detected
    ) { try SharedCoordinatorStack($0, merging: .never) }
}
