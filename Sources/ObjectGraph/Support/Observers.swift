import Synchronization

/// Keeps an observer active. The observer ends with `cancel`, or when the observation is released.
public final class Observation: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the observer. Does not wait for a call that is in progress.
    public func cancel() { end() }
}

/// The observers of one kind of notification, in the order in which they were added.
final class Observers<Notification: Sendable>: Sendable {
    private struct State {
        var last: UInt64 = 0

        /// Replaced by each change and never changed in place, since `post` reads it outside the
        /// lock.
        var handlers: [(number: UInt64, handler: @Sendable (Notification) -> Void)] = []
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.handlers.isEmpty } }

    func add(_ handler: @escaping @Sendable (Notification) -> Void) -> Observation {
        let number = state.withLock { state in
            state.last += 1
            state.handlers = state.handlers + [(state.last, handler)]
            return state.last
        }
        return Observation { [weak self] in
            self?.state.withLock { state in
                state.handlers = state.handlers.filter { $0.number != number }
            }
        }
    }

    /// The notifications posted from now on. The number of unread ones has no limit.
    var stream: AsyncStream<Notification> {
        AsyncStream { continuation in
            let observation = add { continuation.yield($0) }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    /// - Parameter notification: Evaluated for each observer.
    func post(_ notification: @autoclosure () -> Notification) {
        for (_, handler) in state.withLock({ $0.handlers }) { handler(notification()) }
    }
}
