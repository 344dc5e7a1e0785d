import Synchronization

/// An event that observers of commits are notified of.
package enum CommitEvent: Sendable {
    /// There was at least one commit since the last event.
    case committed
    /// The file was deleted, moved or replaced, so there are no more events.
    case ended
}

/// The observers of commits to a database in memory. `CommitWatch` has those of files.
package struct CommitObservers: ~Copyable, Sendable {
    /// Nil until there is an observer, because most databases have none.
    private let observers = Mutex<Observers<CommitEvent>?>(nil)

    package init() {}

    /// - Returns: Ends the calls when it is cancelled or released.
    package func add(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        observers.withLock { observers in
            if observers == nil { observers = Observers() }
            return observers!
        }.add(handler)
    }

    /// Called after each commit, on the thread that made it.
    package func post() { observers.withLock { $0 }?.post(.committed) }
}
