#if PostgreSQL
import Foundation
import ObjectGraph
import Synchronization

/// Notifies observers of commits to a store, by anyone: each writer notifies the channel of the
/// store in its transaction.
///
/// A thread waits on a link of its own. If the link breaks, it opens another one; then commits may
/// have been missed, so that observers are notified too.
final class CommitListener: Sendable {
    private struct State {
        var link: PinnedLink
        var isClosed = false
    }

    private let pool: LinkPool
    private let channel: String
    private let observers = CommitObservers()
    private let state: Mutex<State>

    /// - Throws: `PostgreSQLError` if there is no link.
    init(_ pool: LinkPool, channel: String) throws {
        self.pool = pool
        self.channel = channel
        state = Mutex(State(link: try Self.listen(pool, channel)))
        // The thread holds the listener while it waits, so `close` must be called.
        Thread.detachNewThread { self.run() }
    }

    func observe(_ handler: @escaping @Sendable (CommitEvent) -> Void) -> Observation {
        observers.add(handler)
    }

    /// Ends the thread. Does not wait for it.
    func close() {
        let link = state.withLock { state in
            state.isClosed = true
            return state.link
        }
        link.canceller.abandon()
    }

    private static func listen(_ pool: LinkPool, _ channel: String) throws -> PinnedLink {
        let link = try pool.pin()
        try link.use { try $0.execute("LISTEN \(channel.quotedName)") }
        return link
    }

    private func run() {
        while let link = state.withLock({ $0.isClosed ? nil : $0.link }) {
            do {
                let notifications = try link.use {
                    try $0.waitForNotification(timeout: .seconds(3600))
                }
                if !notifications.isEmpty { observers.post() }
            } catch {
                reconnect()
            }
        }
    }

    private func reconnect() {
        var pause = 0.05
        while !state.withLock({ $0.isClosed }) {
            do {
                let link = try Self.listen(pool, channel)
                let isClosed = state.withLock { state in
                    state.link = link
                    return state.isClosed
                }
                if !isClosed { observers.post() }
                return
            } catch let error as PostgreSQLError where error.kind == .closed {
                return state.withLock { $0.isClosed = true }
            } catch {
                Thread.sleep(forTimeInterval: pause)
                pause = min(pause * 2, 5)
            }
        }
    }
}
#endif
