import Foundation
import ObjectGraph

/// Background work on a coordinator of its own, with its own connections and row cache, over the
/// same file as the view.
///
///     file ← coordinator ← view (main)
///          ← coordinator ← workers
///
/// The two sides share SQLite's locks but no cached rows: after a merge the view reads the changed
/// rows from the file (spec §13.1, the batch operation context; §4.4).
public final class IsolatedBatchStack: PersistenceStack {
    /// How saves in workers reach the view.
    public enum View: Sendable, Hashable {
        /// The stack merges the object IDs of each save into the view.
        case mergesIdentifiers
        /// The view follows the history of the store, so that it also shows batch requests and what
        /// other processes have written.
        case mergesHistory
        /// Not at all: the view keeps its values until it is refreshed and fetched again.
        case refetches
    }

    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let view: ManagedObjectContext
        let saves = SaveObserver()
        /// Nil unless the view merges the history.
        let follower: HistoryFollower?

        init(_ configuration: StackConfiguration, _ kind: View) throws {
            var configuration = configuration
            if kind == .mergesHistory { configuration.tracksHistory = true }
            let viewCoordinator = try configuration.openCoordinator(
                postsRemoteChanges: kind == .mergesHistory)
            coordinators = [viewCoordinator, try configuration.openCoordinator()]
            view = configuration.makeContext(.mainQueue, on: viewCoordinator, name: "view")
            follower =
                kind == .mergesHistory
                ? try HistoryFollower(view, author: "view \(UUID().uuidString)") : nil
        }
    }

    public let kind: StackKind
    public let configuration: StackConfiguration
    private let view: View
    private let contexts: Lifecycle<Contexts>

    /// Opens the store twice.
    ///
    /// - Throws: `StackError.storeNotShared` if the two openings would not see the same rows;
    ///   `StoreError` if the store cannot be opened.
    public init(_ configuration: StackConfiguration, view: View = .mergesIdentifiers) throws {
        kind =
            switch view {
            case .mergesIdentifiers: .isolatedBatch
            case .mergesHistory: .isolatedBatchHistory
            case .refetches: .isolatedBatchRefetch
            }
        self.configuration = configuration
        self.view = view
        contexts = try Lifecycle(kind, configuration) { try Contexts(configuration, view) }
    }

    public var viewContext: ManagedObjectContext { get throws { try contexts.current().view } }

    public func makeWorkerContext() throws -> ManagedObjectContext {
        let current = try contexts.current()
        let worker = configuration.makeContext(
            .privateQueue, on: current.coordinators[1], name: "worker")
        if view == .mergesIdentifiers {
            current.saves.afterSaves(of: worker, in: [current.view]) { view, changes in
                ManagedObjectContext.mergeChanges(changes, into: [view])
            }
        }
        return worker
    }

    public func settle() throws {
        let current = try contexts.current()
        guard let follower = current.follower else { return current.view.performAndWait {} }
        try follower.catchUp()
    }

    public var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    public func reset() throws { try contexts.reset() }
    public func close() throws { try contexts.close() }
}

extension StackKind {
    public static let isolatedBatch = StackKind(
        "isolated-batch",
        summary: "batch work on a coordinator of its own, merged by object IDs",
        visibility: .afterMerge, concurrentChanges: .detected, traits: [.opensStoreTwice]
    ) { try IsolatedBatchStack($0, view: .mergesIdentifiers) }

    public static let isolatedBatchHistory = StackKind(
        "isolated-batch-history", summary: "isolated-batch, merged by the store's history",
        visibility: .afterRemoteChange, concurrentChanges: .detected,
        traits: [.opensStoreTwice, .followsHistory]
    ) { try IsolatedBatchStack($0, view: .mergesHistory) }

    public static let isolatedBatchRefetch = StackKind(
        "isolated-batch-refetch", summary: "isolated-batch without merges: the view refetches",
        visibility: .afterRefetch, concurrentChanges: .detected, traits: [.opensStoreTwice]
    ) { try IsolatedBatchStack($0, view: .refetches) }
}
