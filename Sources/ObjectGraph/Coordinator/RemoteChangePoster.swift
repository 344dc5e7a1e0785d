import Dispatch
import Synchronization

/// Posts the remote changes of one store (spec §10.5).
///
/// Observers run on a queue of the poster, one at a time, so that a slow one holds up no other
/// store. Commits that arrive before they are called are one notification.
final class RemoteChangePoster: Sendable {
    private struct State {
        var commits: Observation?
        var isScheduled = false
        var isEnded = false
    }

    private let store: any PersistentStore
    private let handle: PersistentStoreHandle
    private let observers: Observers<CoordinatorNotification>
    private let queue = DispatchQueue(label: "ObjectGraph.RemoteChanges")
    private let state = Mutex(State())

    init(
        _ store: any PersistentStore, _ handle: PersistentStoreHandle,
        _ observers: Observers<CoordinatorNotification>
    ) {
        self.store = store
        self.handle = handle
        self.observers = observers
    }

    func begin() {
        let commits = store.observeCommits { [weak self] in self?.note($0) }
        state.withLock { $0.commits = commits }
    }

    /// Ends the notifications. Does not wait for one that is being delivered.
    func end() {
        let commits = state.withLock { state in
            defer { state.commits = nil }
            state.isEnded = true
            return state.commits
        }
        commits?.cancel()
    }

    private func note(_ event: CommitEvent) {
        switch event {
        case .committed:
            let isScheduled = state.withLock { state in
                defer { state.isScheduled = true }
                return state.isScheduled
            }
            if isScheduled { return }
            queue.async { [weak self] in self?.post() }
        case .ended:
            queue.async { [weak self] in
                guard let self, !state.withLock({ $0.isEnded }) else { return }
                observers.post(.remoteChangesDidEnd(handle))
            }
        }
    }

    private func post() {
        let isEnded = state.withLock { state in
            state.isScheduled = false
            return state.isEnded
        }
        if isEnded || observers.isEmpty { return }
        observers.post(.remoteChange(RemoteChange(store: handle, historyToken: historyToken)))
    }

    private var historyToken: PersistentHistoryToken? {
        guard let extent = try? store.historyStore?.historyExtent() else { return nil }
        return PersistentHistoryToken([store.identifier: extent.newest])
    }
}
