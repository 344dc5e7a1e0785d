#if PostgreSQL
import Dispatch

/// A link of its own for a snapshot that is read for a while, or for notifications.
///
/// Its transaction stays open between uses. When the pin is released, the transaction is rolled
/// back, and the link goes to the pool or, if it was a listener, is closed.
final class PinnedLink: @unchecked Sendable {
    // @unchecked Sendable: only the holder of the permit uses the link, and `deinit`, when there is
    // no other reference. The canceller is Sendable.
    private let link: Link
    private let pool: LinkPool
    private let permit = DispatchSemaphore(value: 1)

    /// Ends the work of the link from other threads.
    let canceller: Canceller

    init(_ link: Link, of pool: LinkPool) {
        self.link = link
        self.pool = pool
        canceller = link.canceller
    }

    deinit { pool.takeBack(link) }

    /// Lends the link; waits while another thread uses it.
    ///
    /// - Throws: what `body` throws; `connectionLost` if the link is broken.
    func use<T>(_ body: (Link) throws -> T) throws -> T {
        permit.wait()
        defer { permit.signal() }
        try link.requireUsable()
        defer { pool.add(link.takeStatistics()) }
        return try body(link)
    }
}
#endif
