import ObjectGraph
import Synchronization

/// Merges what others have written to a store into a context: after each remote change it reads the
/// history from where it ended before (spec §10.4, §10.5).
final class HistoryFollower: Sendable {
    private struct State {
        var token: PersistentHistoryToken
        /// The first error since the last ``catchUp()``.
        var error: (any Error)?
        var isEnqueued = false
        var observation: Observation?
    }

    private let context: ManagedObjectContext
    private let author: String
    private let state: Mutex<State>

    /// Follows the store of the context's coordinator, which keeps a history and posts remote
    /// changes.
    ///
    /// - Parameter author: Who saves in the context. These transactions are not merged.
    /// - Throws: `StoreError` if the history cannot be read.
    init(_ context: ManagedObjectContext, author: String) throws {
        self.context = context
        self.author = author
        context.performAndWait { context.transactionAuthor = author }
        let coordinator = context.coordinator
        state = Mutex(State(token: try coordinator.currentPersistentHistoryToken()))
        let observation = coordinator.observe { [weak self] notification in
            guard let self, case .remoteChange = notification else { return }
            enqueueMerge()
        }
        state.withLock { $0.observation = observation }
    }

    /// Merges all that was committed before this call. Waits for the context's queue.
    ///
    /// - Throws: the first error since the last call.
    func catchUp() throws {
        context.performAndWait { mergeNews() }
        let error = state.withLock { state in
            defer { state.error = nil }
            return state.error
        }
        if let error { throw error }
    }

    private func enqueueMerge() {
        let isEnqueued = state.withLock { state in
            defer { state.isEnqueued = true }
            return state.isEnqueued
        }
        if isEnqueued { return }
        context.perform { [weak self] in
            self?.state.withLock { $0.isEnqueued = false }
            self?.mergeNews()
        }
    }

    private func mergeNews() {
        do {
            do {
                try mergeHistory()
            } catch let error as StoreError where error.isExpiredHistory {
                try refreshAll()
            }
        } catch {
            state.withLock { $0.error = $0.error ?? error }
        }
    }

    private func mergeHistory() throws {
        let token = state.withLock { $0.token }
        try context.enumerateHistory(PersistentHistoryRequest(after: .token(token))) {
            if $0.author != author {
                ManagedObjectContext.mergeChanges($0.objectChanges, into: [context])
            }
            let token = $0.token
            state.withLock { $0.token = token }
        }
    }

    /// Merges what is stored and continues from the newest transaction, after transactions were
    /// deleted that were not merged yet. Reads the identifiers of all rows, since results
    /// controllers have to hear of new ones.
    private func refreshAll() throws {
        let token = try context.coordinator.currentPersistentHistoryToken()
        let known = Set(context.registeredObjects.filter { !$0.isInserted }.map(\.objectID))
        var stored: Set<ManagedObjectID> = []
        for entity in context.coordinator.model.entitiesByName.values
        where entity.superentity == nil {
            var request = FetchRequest(entityName: entity.name)
            request.includesPendingChanges = false
            stored.formUnion(try context.fetchObjectIDs(request))
        }
        let changes = ObjectChanges(
            inserted: Array(stored.subtracting(known)),
            updated: Array(known.intersection(stored)),
            deleted: Array(known.subtracting(stored)))
        ManagedObjectContext.mergeChanges(changes, into: [context])
        state.withLock { $0.token = token }
    }
}

extension StoreError {
    fileprivate var isExpiredHistory: Bool {
        if case .historyExpired = reason { true } else { false }
    }
}
