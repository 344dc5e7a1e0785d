#if PostgreSQL
import Dispatch
import Foundation
import ObjectGraph
import Synchronization

/// Links to one server: at most so many at a time for reads and writes, and some pinned ones.
///
/// Links are opened when they are needed, and kept. One that broke is thrown away.
final class LinkPool: Sendable {
    /// How many pinned links a pool may have at a time: each is a process of the server.
    static let maximumPinnedCount = 32

    /// Carries a link through the lock.
    // Right to send: each link outside `state` has a permit of the semaphore or belongs to a
    // `PinnedLink`, so one thread has it at a time. The lock orders what the threads do to it.
    private struct Lease: @unchecked Sendable {
        let link: Link
    }

    private struct State {
        var idle: [Lease] = []
        var pinnedCount = 0
        /// Whether the server was reached before, so that it is worth waiting for.
        var hasConnected = false
        var isClosed = false
        var statistics = LinkStatistics()

        func requireOpen() throws(PostgreSQLError) {
            guard !isClosed else {
                throw PostgreSQLError(.closed, "the connections of the store are closed")
            }
        }
    }

    private static let firstTimeout = Duration.seconds(10)

    let settings: LinkSettings
    let maximumCount: Int
    private let permits: DispatchSemaphore
    private let state = Mutex(State())

    /// - Parameter maximumCount: How many reads and writes can run at a time, at least 1.
    init(_ settings: LinkSettings, maximumCount: Int) {
        self.settings = settings
        self.maximumCount = max(1, maximumCount)
        permits = DispatchSemaphore(value: self.maximumCount)
    }

    /// Lends a link for reading; waits while all are in use.
    ///
    /// If the link breaks before the server has sent any result, the body runs once more with a
    /// new link. A body must not use the same pool: it could wait for itself.
    ///
    /// - Throws: what `body` throws; `poolTimeout`; the error of connecting; `closed`;
    ///   `transactionLeftOpen` if `body` returns within a transaction, which is rolled back.
    func read<T>(_ body: (Link) throws -> T) throws -> T {
        try withPermit(.waitForReader) {
            let link = try checkOut()
            link.isWriting = false
            link.hasReceived = false
            do {
                return try lend(link, to: body)
            } catch {
                guard link.isBroken, !link.hasReceived else { throw error }
                // The others lead to the same server, which may have been restarted.
                closeIdleLinks()
            }
            let second = try open()
            second.isWriting = false
            return try lend(second, to: body)
        }
    }

    /// As `read`, but the body runs only once, whatever happens.
    ///
    /// - Throws: as `read`; `commitUnknown` if the link broke during a commit.
    func write<T>(_ body: (Link) throws -> T) throws -> T {
        try withPermit(.waitForWriter) {
            let link = try checkOut()
            link.isWriting = true
            return try lend(link, to: body)
        }
    }

    /// A link for as long as the result lives, in addition to those of `read` and `write`.
    ///
    /// - Throws: `poolTimeout` if there are `maximumPinnedCount` already; the error of connecting;
    ///   `closed`.
    func pin() throws(PostgreSQLError) -> PinnedLink {
        try state.withLock { (state) throws(PostgreSQLError) in
            try state.requireOpen()
            guard state.pinnedCount < Self.maximumPinnedCount else {
                throw PostgreSQLError(
                    .poolTimeout, "\(Self.maximumPinnedCount) connections are pinned already")
            }
            state.pinnedCount += 1
        }
        do {
            let link = try checkOut()
            link.isWriting = false
            return PinnedLink(link, of: self)
        } catch {
            state.withLock { $0.pinnedCount -= 1 }
            throw error
        }
    }

    /// Takes the link of a released pin.
    func takeBack(_ link: Link) {
        state.withLock { $0.pinnedCount -= 1 }
        giveBack(link)
    }

    /// Adds the work of a pinned link.
    func add(_ statistics: LinkStatistics) {
        state.withLock { $0.statistics += statistics }
    }

    /// Waits until all links but the pinned ones are returned, then closes them. Pinned ones close
    /// when they are released. Closing twice does nothing.
    func close() {
        for _ in 0..<maximumCount { permits.wait() }
        defer { for _ in 0..<maximumCount { permits.signal() } }
        state.withLock { $0.isClosed = true }
        closeIdleLinks()
    }

    /// The sum over all links since the last reset. The work of a link is added when it is
    /// returned.
    var statistics: LinkStatistics { state.withLock { $0.statistics } }

    func resetStatistics() { state.withLock { $0.statistics = LinkStatistics() } }

    /// How many links wait to be used.
    var idleCount: Int { state.withLock { $0.idle.count } }
}

extension LinkPool {
    private func withPermit<T>(
        _ wait: TraceEvent.Kind, _ body: () throws -> T
    ) throws -> T {
        let timeout = DispatchTimeInterval.milliseconds(settings.timeout.wholeMilliseconds)
        guard
            permits.wait(timeout: .now()) == .success
                || waiting(wait, { permits.wait(timeout: .now() + timeout) }) == .success
        else {
            throw PostgreSQLError(
                .poolTimeout, "all \(maximumCount) connections to \(settings.address) are in use")
        }
        defer { permits.signal() }
        return try body()
    }

    /// Reports the wait to tracers.
    private func waiting<T>(_ kind: TraceEvent.Kind, _ wait: () -> T) -> T {
        guard EventTracing.isAttached else { return wait() }
        let startNanoseconds = TraceEvent.now
        defer {
            EventTracing.report(
                TraceEvent(
                    kind, startNanoseconds: startNanoseconds,
                    durationNanoseconds: TraceEvent.now - startNanoseconds))
        }
        return wait()
    }

    /// A link that works as far as its socket shows, or a new one.
    private func checkOut() throws(PostgreSQLError) -> Link {
        if let link = try takeIdle() { return link }
        return try open()
    }

    private func takeIdle() throws(PostgreSQLError) -> Link? {
        while let lease = try state.withLock({ (state) throws(PostgreSQLError) -> Lease? in
            try state.requireOpen()
            return state.idle.popLast()
        }) {
            if !lease.link.handle.noticesEnd() { return lease.link }
            closeIdleLinks()
        }
        return nil
    }

    /// Opens a link. Tries again, with growing pauses, while the server starts or has too many
    /// connections, and while it is away if it was there before. Takes one that becomes free
    /// meanwhile. The first link of a pool is waited for no longer than `firstTimeout`, so that a
    /// program that starts soon says what is wrong.
    private func open() throws(PostgreSQLError) -> Link {
        let isFirst = state.withLock { !$0.hasConnected }
        let deadline =
            ContinuousClock.now
            + (isFirst ? min(settings.timeout, Self.firstTimeout) : settings.timeout)
        var pause = Duration.milliseconds(10)
        while true {
            do {
                let link = try Link(settings)
                state.withLock { $0.hasConnected = true }
                return link
            } catch {
                let (isClosed, wasReached) = state.withLock { ($0.isClosed, $0.hasConnected) }
                guard !isClosed, error.mayPass(afterConnecting: wasReached),
                    ContinuousClock.now + pause < deadline
                else { throw error }
            }
            // Clients that were cut off together do not come back together.
            Thread.sleep(forTimeInterval: pause / .seconds(1) * .random(in: 0.5...1))
            pause = min(pause * 2, .seconds(1))
            if let link = try takeIdle() { return link }
        }
    }

    /// Runs the body and rolls back what it left open.
    private func lend<T>(_ link: Link, to body: (Link) throws -> T) throws -> T {
        defer { giveBack(link) }
        let result = try body(link)
        guard !link.isInTransaction || link.isBroken else {
            throw PostgreSQLError(
                .transactionLeftOpen, "a transaction was left open and is rolled back")
        }
        return result
    }

    private func giveBack(_ link: Link) {
        // If this fails, the link is broken.
        if link.isInTransaction, !link.isBroken { try? link.execute("ROLLBACK") }
        let isUsable = !link.isBroken && !link.isInTransaction && !link.isListener
        let statistics = link.takeStatistics()
        let lease = Lease(link: link)
        // A link that is not kept closes when the last reference to it goes, outside the lock.
        state.withLock { state in
            state.statistics += statistics
            guard isUsable, !state.isClosed, state.idle.count < maximumCount else { return }
            state.idle.append(lease)
        }
    }

    private func closeIdleLinks() {
        // They close when the result is released, outside the lock.
        _ = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
    }
}

extension PostgreSQLError {
    /// Whether another attempt to connect can succeed soon.
    ///
    /// - Parameter wasReached: Whether an attempt has succeeded before.
    fileprivate func mayPass(afterConnecting wasReached: Bool) -> Bool {
        switch kind {
        case .tooManyConnections: true
        // 57P03: the server is starting or stopping.
        case .connectionFailed: wasReached || sqlState == "57P03"
        default: false
        }
    }
}
#endif
