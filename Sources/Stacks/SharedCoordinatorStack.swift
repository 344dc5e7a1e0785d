import ObjectGraph

/// The view and the workers side by side on one coordinator (spec §13.3).
///
///     store ← coordinator ← view (main)
///                         ← workers
///
/// A worker's save goes to the file at once, without the main queue; a merge then updates the view.
public final class SharedCoordinatorStack: PersistenceStack {
    /// Which contexts merge the saves of others.
    public enum Merging: Sendable, Hashable {
        /// The view: the stack observes each worker and merges its did-save notifications.
        case intoView
        /// Like `intoView`, and the view first reads each object that the save has changed.
        case readingFirst
        /// Like `intoView`, and each worker merges saves of the view.
        case bothWays
        /// None: the view keeps its values until it is refreshed.
        case never
    }

    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let view: ManagedObjectContext
        let workerSaves = SaveObserver()
        let viewSaves = SaveObserver()

        init(_ configuration: StackConfiguration, _ merging: Merging) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            view = configuration.makeContext(.mainQueue, on: coordinator, name: "view")
            guard merging == .bothWays else { return }
            let workerSaves = workerSaves
            viewSaves.afterSaves(of: view, in: workerSaves.contexts) { $0.mergeChanges($1) }
        }
    }

    public let kind: StackKind
    public let configuration: StackConfiguration
    private let merging: Merging
    private let contexts: Lifecycle<Contexts>

    /// Opens the store.
    ///
    /// - Throws: `StoreError` if it cannot be opened.
    public init(_ configuration: StackConfiguration, merging: Merging = .intoView) throws {
        kind =
            switch merging {
            case .intoView: .shared
            case .readingFirst: .sharedReadFirst
            case .bothWays: .sharedBothWays
            case .never: .sharedNoMerge
            }
        self.configuration = configuration
        self.merging = merging
        contexts = try Lifecycle(kind, configuration) { try Contexts(configuration, merging) }
    }

    public var viewContext: ManagedObjectContext { get throws { try contexts.current().view } }

    public func makeWorkerContext() throws -> ManagedObjectContext {
        let current = try contexts.current()
        let worker = configuration.makeContext(
            .privateQueue, on: current.coordinators[0], name: "worker")
        switch merging {
        case .never: break
        case .readingFirst:
            current.workerSaves.afterSaves(of: worker, in: [current.view], Self.readAndMerge)
        case .intoView, .bothWays:
            current.workerSaves.afterSaves(of: worker, in: [current.view]) { $0.mergeChanges($1) }
        }
        return worker
    }

    /// Merges into objects that have values, so that a controller notices each change.
    private static func readAndMerge(
        _ view: ManagedObjectContext, _ changes: ObjectChanges
    ) throws {
        var read: [ManagedObject] = []
        defer { withExtendedLifetime(read) { view.mergeChanges(changes) } }
        for identifier in changes.updated {
            do {
                read.append(try view.existingObject(with: identifier))
            } catch FetchError.noSuchObject {
                // Deleted since; the merge of that save follows.
            }
        }
    }

    public func settle() throws {
        let current = try contexts.current()
        try current.workerSaves.wait()
        try current.viewSaves.wait()
    }

    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let shared = StackKind(
        "shared",
        summary: "contexts side by side on one coordinator, merged by did-save notification",
        visibility: .afterMerge, concurrentChanges: .detected
    ) { try SharedCoordinatorStack($0, merging: .intoView) }

    public static let sharedBothWays = StackKind(
        "shared-both-ways", summary: "shared, and saves in the view are merged into the workers",
        visibility: .afterMerge, concurrentChanges: .detected, traits: [.mergesIntoWorkers]
    ) { try SharedCoordinatorStack($0, merging: .bothWays) }

    public static let sharedReadFirst = StackKind(
        "shared-read-first",
        summary: "shared, and the view reads changed objects before it merges them",
        visibility: .afterMerge, concurrentChanges: .detected
    ) { try SharedCoordinatorStack($0, merging: .readingFirst) }

    public static let sharedNoMerge = StackKind(
        "shared-no-merge", summary: "shared without merges: the view refetches",
        visibility: .afterRefetch, concurrentChanges: .detected
    ) { try SharedCoordinatorStack($0, merging: .never) }
}
