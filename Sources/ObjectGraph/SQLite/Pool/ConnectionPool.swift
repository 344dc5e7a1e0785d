import CSQLite
import Dispatch
import Foundation
import Synchronization

/// One writer and several readers over the same file.
///
/// In WAL mode readers see the last commit. Readers and the writer wait only for a free connection.
///
/// A database in memory belongs to one connection, so reading borrows the writer.
final class ConnectionPool: Sendable {
    /// Carries a connection through the lock.
    // Right to send: each connection outside `state` has a permit of a semaphore, so one thread has
    // it at a time. The semaphore and the lock order what the threads do to it.
    private struct Lease: @unchecked Sendable {
        let connection: Connection
    }

    /// The rest of a read, with its reader.
    // Right to send: as for a lease; the statements of the read belong to its connection.
    private struct Rest: @unchecked Sendable {
        let reader: Lease
        let read: any RestOfRead
    }

    private struct WeakPinnedReader {
        weak var reader: PinnedReader?
    }

    private struct State {
        var idleReaders: [Lease] = []
        /// Whether an idle reader may hold a snapshot.
        var holdsSnapshots = false
        var writer: Lease?
        var pinnedReaders: [ObjectIdentifier: WeakPinnedReader] = [:]
        var continuedReadCount = 0
        var isClosed = false
        let forkCount = ForkCount.startCounting()
        var statistics = ConnectionStatistics()

        @inline(__always)
        func requireOpen(_ configuration: SQLiteConfiguration) throws(SQLiteError) {
            if isClosed || forkCount != ForkCount.current { throw misuse(configuration) }
        }

        @inline(never)
        private func misuse(_ configuration: SQLiteConfiguration) -> SQLiteError {
            guard isClosed else { return .openedBeforeFork(path: configuration.path) }
            return SQLiteError(
                extendedCode: SQLITE_MISUSE, message: "the connection pool is closed",
                path: configuration.path)
        }
    }

    private let configuration: SQLiteConfiguration
    private let onOpen: @Sendable (Connection) throws -> Void
    private let isSameDatabase: @Sendable (Connection) throws -> Bool
    /// 0 if reading borrows the writer.
    private let maximumReaderCount: Int
    /// The file that the writer opened; nil in memory.
    let file: OpenedFile?
    /// What a connection for reading leaves beside the file; nil for one that may write.
    private let leftLog: LeftLog?
    let commits: CommitCounter
    private let readerPermits: DispatchSemaphore
    private let writerPermit = DispatchSemaphore(value: 1)
    private let writerHolder = Holder()
    private let state: Mutex<State>

    /// Opens the writer immediately, and readers when they are first needed.
    ///
    /// - Parameter maximumReaderCount: 0 lets readers borrow the writer.
    /// - Parameter onOpen: called on each connection before its first use, for example to register
    ///   functions and collations.
    /// - Parameter isSameDatabase: Whether the file still has the content that was opened. Called
    ///   when the schema may have changed; if not, reading and writing throw.
    init(
        configuration: SQLiteConfiguration, maximumReaderCount: Int,
        onOpen: @escaping @Sendable (Connection) throws -> Void = { _ in },
        isSameDatabase: @escaping @Sendable (Connection) throws -> Bool = { _ in true }
    ) throws {
        let readerCount = configuration.mode.isInMemory ? 0 : max(0, maximumReaderCount)
        self.configuration = configuration
        self.onOpen = onOpen
        self.isSameDatabase = isSameDatabase
        self.maximumReaderCount = readerCount
        readerPermits = DispatchSemaphore(value: readerCount)
        let found = OpenedFile(configuration)
        leftLog = configuration.mode == .readOnly ? LeftLog(beside: configuration) : nil
        let writer = try Self.open(configuration, onOpen)
        writer.connection.isSameDatabase = isSameDatabase
        // A new file exists only after it was opened. A file that must not change is taken as it
        // was before.
        file = configuration.mode == .immutable ? found : OpenedFile(configuration)
        commits = CommitCounter.ofDatabase(
            configuration.mode == .memory ? nil : realPath(configuration.path))
        let pageSize = writer.connection.statistics.pageSize
        state = Mutex(
            State(writer: writer, statistics: ConnectionStatistics(pageSize: pageSize)))
    }

    /// Lends an idle reader; waits while all are busy. Readers refuse to write (`query_only`).
    ///
    /// A body must not read or write through the same pool: it could wait for itself.
    ///
    /// - Parameter keepingSnapshot: Consecutive reads with `true` share one snapshot, until this
    ///   process writes to the file or calls `releaseSnapshots()`. Call that soon. Other reads see
    ///   the newest state.
    /// - Parameter seesNewest: Whether a read that shares a snapshot sees the newest state, too.
    /// - Throws: what `body` throws; `SQLiteError` if a reader cannot be opened; `SQLITE_MISUSE`
    ///   after `close()`; `SQLITE_READONLY_DBMOVED` if a reader is needed and the writer's file is
    ///   gone.
    func read<T>(
        keepingSnapshot: Bool = false, seesNewest: Bool = false, _ body: (Connection) throws -> T
    ) throws -> T {
        guard maximumReaderCount > 0 else { return try write(body) }
        waitForReader()
        defer { readerPermits.signal() }
        let idle = try state.withLock { state in
            try state.requireOpen(configuration)
            return state.idleReaders.popLast()
        }
        let reader = try idle ?? openReader()
        defer {
            // Without the count of written pages: a reader writes none.
            let statistics = reader.connection.handle.takeStatistics()
            state.withLock { state in
                state.statistics += statistics
                state.idleReaders.append(reader)
                if keepingSnapshot { state.holdsSnapshots = true }
            }
        }
        if keepingSnapshot {
            try reader.connection.holdSnapshot(
                since: commits.count.load(ordering: .acquiring), isNewest: seesNewest)
        } else {
            reader.connection.releaseSnapshot()
        }
        return try lend(reader.connection, to: body)
    }

    /// As `read`, but the read may go on after this returns: the body can leave a rest, which
    /// another thread runs with the same reader and the statements that the body has left running.
    ///
    /// At most half of the readers are kept in this way. One rest more runs before this returns.
    func readAhead<T>(
        _ body: (Connection) throws -> (value: T, rest: (any RestOfRead)?)
    ) throws -> T {
        waitForReader()
        var reader: Lease?
        var rest: Rest?
        defer { if rest == nil { giveBack(reader) } }
        let idle = try state.withLock { state in
            try state.requireOpen(configuration)
            return state.idleReaders.popLast()
        }
        let lease = try idle ?? openReader()
        reader = lease
        lease.connection.releaseSnapshot()
        let part = try readingSameDatabase(lease.connection, body)
        rest = part.rest.map { Rest(reader: lease, read: $0) }
        if let rest { finish(rest) }
        return part.value
    }

    @inline(__always)
    private func waitForReader() {
        let span = TraceSpan()
        // A reader that is free is no wait.
        if span.isOn, readerPermits.wait(timeout: .now()) == .success { return }
        readerPermits.wait()
        span.end(.waitForReader)
    }

    private func finish(_ rest: Rest) {
        let isContinued = state.withLock { state in
            guard state.continuedReadCount < maximumReaderCount / 2 else { return false }
            state.continuedReadCount += 1
            // Counted now and as a whole, so that counts do not depend on when the read is ended.
            state.statistics += rest.reader.connection.handle.takeStatistics()
            state.statistics.rowsRead += rest.read.rowCount
            return true
        }
        guard isContinued else { return run(rest, isContinued: false) }
        // A queue of its own gets a thread even if the callers of `read` wait in all others.
        DispatchQueue(label: "ConnectionPool.rest").async {
            self.run(rest, isContinued: true)
        }
    }

    private func run(_ rest: Rest, isContinued: Bool) {
        rest.read.run(on: rest.reader.connection)
        giveBack(rest.reader, wasContinued: isContinued)
        rest.read.end()
    }

    private func giveBack(_ reader: Lease?, wasContinued: Bool = false) {
        defer { readerPermits.signal() }
        guard let reader else { return }
        reader.connection.handle.resetStatements()
        reader.connection.rollback()
        var statistics = reader.connection.handle.takeStatistics()
        if wasContinued { statistics.rowsRead = 0 }
        state.withLock { state in
            state.statistics += statistics
            state.idleReaders.append(reader)
            if wasContinued { state.continuedReadCount -= 1 }
        }
    }

    /// Whether a read may go on while the pool has another reader to lend.
    var canReadAhead: Bool { keepsStates && maximumReaderCount > 1 }

    /// Whether a read can see one state of the file while others write.
    var keepsStates: Bool { maximumReaderCount > 0 && configuration.mode.canPin }

    /// Ends the snapshots of idle readers, because they keep checkpoints from emptying the WAL.
    func releaseSnapshots() {
        state.withLock { state in
            guard state.holdsSnapshots else { return }
            state.holdsSnapshots = false
            for reader in state.idleReaders { reader.connection.releaseSnapshot() }
        }
    }

    /// A reader of the present state for good; nil if SQLite keeps no earlier states, since the
    /// file has no WAL or never changes.
    ///
    /// It comes in addition to the readers of `read`, and becomes one of them when it is released,
    /// unless there are enough.
    /// - Parameter companion: Lives as long as the state can be read.
    /// - Throws: `PinError.tooMany`; otherwise as `read`.
    func pin(keeping companion: (any Sendable)? = nil) throws -> PinnedReader? {
        guard configuration.mode.canPin else { return nil }
        let idle = try state.withLock { state in
            try state.requireOpen(configuration)
            return state.idleReaders.popLast()
        }
        let connection = try (idle ?? openReader()).connection
        connection.releaseSnapshot()
        let pinned = PinnedReader(connection, of: self, keeping: companion)
        guard try connection.beginSnapshot() else { return nil }
        try state.withLock { state in
            try state.requireOpen(configuration)
            guard state.pinnedReaders.count < Self.maximumPinnedCount else {
                throw PinError.tooMany(limit: Self.maximumPinnedCount)
            }
            state.pinnedReaders[ObjectIdentifier(pinned)] = WeakPinnedReader(reader: pinned)
            state.statistics += connection.handle.takeStatistics()
        }
        return pinned
    }

    /// Takes the connection of a released reader.
    func takeBack(_ connection: Connection?, of reader: ObjectIdentifier) {
        connection?.rollback()
        var lease = connection.map(Lease.init)
        state.withLock { state in
            state.pinnedReaders[reader] = nil
            guard let idle = lease, !state.isClosed, state.idleReaders.count < maximumReaderCount
            else { return }
            state.idleReaders.append(idle)
            lease = nil
        }
    }

    /// Adds the work of a pinned reader.
    func add(_ statistics: ConnectionStatistics) {
        state.withLock { $0.statistics += statistics }
    }

    /// Lends the writer; waits while it is busy.
    ///
    /// Not reentrant: a body that writes through the same pool stops the process.
    ///
    /// - Throws: what `body` throws; `SQLITE_MISUSE` after `close()`.
    func write<T>(_ body: (Connection) throws -> T) throws -> T {
        writerHolder.requireAnotherThread()
        let wait = writerHolder.beginWait()
        writerPermit.wait()
        let use = writerHolder.enter(after: wait, .waitForWriter)
        defer {
            writerHolder.leave(use, .useWriter)
            writerPermit.signal()
        }
        releaseSnapshots()
        let writer = try state.withLock { state in
            try state.requireOpen(configuration)
            return state.writer!
        }
        defer {
            let statistics = writer.connection.takeStatistics()
            state.withLock { state in state.statistics += statistics }
            if statistics.transactionsCommitted > 0 { commits.add() }
        }
        return try lend(writer.connection, to: body)
    }

    /// Waits until all connections are returned, then closes them. The writer is the last: it
    /// checkpoints the WAL and removes it. Pinned readers throw from now on. Closing twice does
    /// nothing.
    func close() throws {
        writerPermit.wait()
        for _ in 0..<maximumReaderCount { readerPermits.wait() }
        defer {
            for _ in 0..<maximumReaderCount { readerPermits.signal() }
            writerPermit.signal()
        }
        let (leases, pinned) = state.withLock { state in
            let leases = state.idleReaders + (state.writer.map { [$0] } ?? [])
            state.isClosed = true
            state.idleReaders = []
            state.writer = nil
            return (leases, state.pinnedReaders.values.compactMap(\.reader))
        }
        for reader in pinned { try reader.close() }
        for lease in leases { try lease.connection.close() }
        if file?.isInPlace == true { leftLog?.remove() }
    }

    deinit {
        // A pool for writing needs no help: its connections remove the log when they close.
        if leftLog != nil { try? close() }
    }

    /// The sum over all connections since the last reset. A borrowed connection is added when it is
    /// returned. Opening a connection does not count, `onOpen` included.
    var statistics: ConnectionStatistics {
        state.withLock { $0.statistics }
    }

    func resetStatistics() {
        state.withLock { state in
            state.statistics = ConnectionStatistics(pageSize: state.statistics.pageSize)
        }
    }

    private func openReader() throws -> Lease {
        var configuration = configuration
        if configuration.mode == .readWriteCreate { configuration.mode = .readWrite }
        // Before opening, because SQLite would use the WAL of one file with another. After opening,
        // because the file may have been replaced meanwhile.
        try requireFileInPlace()
        let reader = Result {
            try Self.open(configuration) { reader in
                try onOpen(reader)
                try reader.execute("PRAGMA query_only = 1")
                reader.isSameDatabase = isSameDatabase
                // It has compiled nothing that would have to be compiled again.
                reader.handle.state.pointee.mayHaveNewSchema = true
                try reader.requireSameDatabase()
            }
        }
        try requireFileInPlace()
        let lease = try reader.get()
        // Whether a reader has to be opened depends on which ones are busy; counts must not.
        _ = lease.connection.takeStatistics()
        return lease
    }

    /// A watch of the file; nil in memory.
    ///
    /// - Throws: `SQLiteError` if its connection cannot be opened; `SQLITE_READONLY_DBMOVED` if the
    ///   writer's file is gone.
    func makeCommitWatch() throws -> CommitWatch? {
        guard let file else { return nil }
        try requireFileInPlace()
        return try CommitWatch(file, configuration, isSameDatabase: isSameDatabase)
    }

    /// Throws if the path no longer leads to the file that the writer opened.
    private func requireFileInPlace() throws(SQLiteError) {
        if file?.isInPlace ?? true { return }
        throw .fileReplaced(path: configuration.path)
    }

    /// Opens a connection whose statistics and trace begin after `onOpen`.
    private static func open(
        _ configuration: SQLiteConfiguration, _ onOpen: (Connection) throws -> Void
    ) throws -> Lease {
        var silent = configuration
        silent.trace = nil
        let connection = try Connection(silent)
        try onOpen(connection)
        _ = connection.takeStatistics()
        connection.handle.startTracing(configuration)
        return Lease(connection: connection)
    }

    /// Runs `body` and ends what it left running. If `body` returns with an open transaction, its
    /// changes would be lost silently, so this is an error.
    @inline(__always)
    private func lend<T>(_ connection: Connection, to body: (Connection) throws -> T) throws -> T {
        let holdsSnapshot = connection.heldSnapshot?.isHeld ?? false
        defer {
            connection.handle.resetStatements()
            if !holdsSnapshot { connection.rollback() }
        }
        let result = try readingSameDatabase(connection, body)
        guard holdsSnapshot || !connection.isInTransaction else {
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE,
                message: "a transaction was left open and is rolled back: commit it in the body",
                path: configuration.path)
        }
        return result
    }

    private func readingSameDatabase<T>(
        _ connection: Connection, _ body: (Connection) throws -> T
    ) throws -> T {
        let result: T
        do { result = try body(connection) } catch {
            // A statement fails if its table is gone with the content of the file.
            try connection.requireSameDatabase()
            throw error
        }
        try connection.requireSameDatabase()
        return result
    }
}

extension SQLiteError {
    static func openedBeforeFork(path: String) -> SQLiteError {
        SQLiteError(
            extendedCode: SQLITE_MISUSE,
            message: "the store was opened before this process was forked; open it again here",
            path: path)
    }
}

/// The path without symbolic links, so that one file has one name.
func realPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
}
