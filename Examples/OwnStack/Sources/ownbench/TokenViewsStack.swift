import ObjectGraph
import Stacks
import Synchronization

/// One writer for all changes, and two views that merge its history, each from where it ended before.
///
///     store ← coordinator ← list (main)
///                         ← detail (private)
///                         ← writer (private)
final class TokenViewsStack: PersistenceStack {
    private struct Contexts: Arrangement {
        let coordinators: [PersistentStoreCoordinator]
        let writer: ManagedObjectContext
        let list: HistoryView
        let detail: HistoryView
        private let observation: Observation

        init(_ configuration: StackConfiguration) throws {
            let coordinator = try configuration.openCoordinator()
            coordinators = [coordinator]
            writer = configuration.makeContext(.privateQueue, on: coordinator, name: "writer")
            let views = try [
                HistoryView(configuration.makeContext(.mainQueue, on: coordinator, name: "list")),
                HistoryView(
                    configuration.makeContext(.privateQueue, on: coordinator, name: "detail")),
            ]
            (list, detail) = (views[0], views[1])
            observation = writer.observe { notification in
                guard case .didSave = notification else { return }
                for view in views { view.enqueueMerge() }
            }
        }
    }

    let kind = StackKind.tokenViews
    let configuration: StackConfiguration
    private let contexts: Lifecycle<Contexts>

    init(_ configuration: StackConfiguration) throws {
        var configuration = configuration
        configuration.tracksHistory = true
        self.configuration = configuration
        contexts = try Lifecycle(kind, configuration) { [configuration] in
            try Contexts(configuration)
        }
    }

    var viewContext: ManagedObjectContext { get throws { try contexts.current().list.context } }

    func makeWorkerContext() throws -> ManagedObjectContext { try contexts.current().writer }

    func settle() throws {
        let current = try contexts.current()
        try current.list.catchUp()
        try current.detail.catchUp()
    }

    var coordinators: [PersistentStoreCoordinator] { contexts.coordinators }
    func reset() throws { try contexts.reset() }
    func close() throws { try contexts.close() }
}

/// A context that merges the history of its store.
private final class HistoryView: Sendable {
    let context: ManagedObjectContext
    private let token: Mutex<PersistentHistoryToken>
    private let error = Mutex<(any Error)?>(nil)

    init(_ context: ManagedObjectContext) throws {
        self.context = context
        token = Mutex(try context.coordinator.currentPersistentHistoryToken())
    }

    func enqueueMerge() {
        context.perform { self.merge() }
    }

    /// Waits until all that was saved before is merged.
    ///
    /// - Throws: the first error since the last call.
    func catchUp() throws {
        context.performAndWait { merge() }
        if let error = error.withLock({ $0.take() }) { throw error }
    }

    private func merge() {
        do {
            let token = token.withLock { $0 }
            try context.enumerateHistory(PersistentHistoryRequest(after: .token(token))) {
                ManagedObjectContext.mergeChanges($0.objectChanges, into: [context])
                let token = $0.token
                self.token.withLock { $0 = token }
            }
        } catch {
            self.error.withLock { $0 = $0 ?? error }
        }
    }
}

extension StackKind {
    static let tokenViews = StackKind(
        "token-views", summary: "one writer, and two views that merge its history",
        visibility: .afterMerge, concurrentChanges: .impossible, traits: [.viewOnlyReads]
    ) { try TokenViewsStack($0) }
}
