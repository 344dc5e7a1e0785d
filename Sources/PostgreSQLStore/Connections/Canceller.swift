#if PostgreSQL
import CPostgreSQL
import Foundation
import Synchronization

/// Ends the work of a link from any thread.
final class Canceller: Sendable {
    // Right to send: libpq's object never changes and may be used by any thread
    // (https://www.postgresql.org/docs/current/libpq-cancel.html). The lock keeps it from being
    // freed, and the socket from being closed, during a call.
    private struct Target: @unchecked Sendable {
        let request: OpaquePointer
        /// A descriptor of its own for the socket: libpq closes its one when the connection is lost,
        /// and the number may then be that of another connection.
        let socket: Int32
    }

    private let target: Mutex<Target?>
    private let hasAsked = Atomic(false)

    init(_ connection: OpaquePointer) {
        target = Mutex(
            PQgetCancel(connection).map {
                Target(
                    request: $0, socket: SocketCalls.duplicate(PQsocket(connection)))
            })
    }

    deinit { end() }

    /// Asks the server to end the command that the link waits for, which then fails with
    /// `cancelled`. Does nothing if there is none. Opens a connection for it.
    func cancel() {
        target.withLock { target in
            guard let target else { return }
            hasAsked.store(true, ordering: .relaxed)
            // A failure leaves the command running. Its caller waits as without a cancellation.
            var message: [CChar] = [0]
            PQcancel(target.request, &message, 1)
        }
    }

    /// Whether the end of a command that has just been ended was asked for here.
    func takeRequest() -> Bool { hasAsked.exchange(false, ordering: .relaxed) }

    /// Ends the connection. A link that waits fails with `connectionLost` at once.
    func abandon() {
        target.withLock { target in
            guard let target else { return }
            shutdown(target.socket, Int32(SHUT_RDWR))
        }
    }

    /// Called before the connection is closed.
    func end() {
        target.withLock { target in
            if let target {
                PQfreeCancel(target.request)
                close(target.socket)
            }
            target = nil
        }
    }
}
#endif
