#if PostgreSQL
import Foundation

/// The calls to the system for the sockets of libpq.
///
/// Elsewhere: the same on Apple's systems; Winsock's `WSAPoll` and `WSADuplicateSocket`.
enum SocketCalls {
    /// Waits until a socket is ready, for at most this long; nil waits without a limit.
    ///
    /// - Parameter events: `POLLIN`, `POLLOUT` or both.
    /// - Returns: Nil if a signal interrupted the call; false when the time is over.
    static func wait(
        for socket: Int32, _ events: Int32, atMostMilliseconds milliseconds: Int32?
    ) -> Bool? {
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        let count = poll(&descriptor, 1, milliseconds ?? -1)
        if count >= 0 { return count > 0 }
        return errno == EINTR ? nil : true
    }

    /// Another descriptor of a socket, which child processes do not inherit.
    static func duplicate(_ socket: Int32) -> Int32 { fcntl(socket, F_DUPFD_CLOEXEC, 0) }
}
#endif
