import Dispatch

/// A reader whose transaction stays open, so that all its reads see one state of the file.
///
/// While it exists, a checkpoint copies the WAL only up to that state, and the WAL grows with every
/// write. Reads run one at a time. Only `sqlite3_snapshot_open` could give a second connection the
/// same state, and most builds of SQLite lack it (`SQLITE_ENABLE_SNAPSHOT`).
final class PinnedReader: @unchecked Sendable {
    // @unchecked Sendable: only the holder of the permit uses the connection and the companion, and
    // `deinit`, when there is no other reference.
    private var connection: Connection?
    private var companion: (any Sendable)?
    private let permit = DispatchSemaphore(value: 1)
    private let pool: ConnectionPool

    /// - Parameter companion: Lives as long as the state can be read.
    init(_ connection: Connection, of pool: ConnectionPool, keeping companion: (any Sendable)?) {
        self.connection = connection
        self.companion = companion
        self.pool = pool
    }

    deinit { pool.takeBack(connection, of: ObjectIdentifier(self)) }

    /// Lends the connection; waits while it is busy.
    ///
    /// - Throws: what `body` throws; `PinError.ended` after `close()`, or if SQLite has ended the
    ///   transaction because of an error.
    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        permit.wait()
        defer { permit.signal() }
        guard let connection, connection.isInTransaction else { throw PinError.ended }
        defer {
            connection.handle.resetStatements()
            pool.add(connection.handle.takeStatistics())
        }
        return try body(connection)
    }

    /// Gives the state up and closes the connection. Closing twice does nothing.
    func close() throws {
        permit.wait()
        defer { permit.signal() }
        let connection = connection
        self.connection = nil
        companion = nil
        try connection?.close()
    }
}

enum PinError: Error {
    /// The pool has as many pinned readers as it may have.
    case tooMany(limit: Int)
    /// The state can no longer be read.
    case ended
}

extension ConnectionPool {
    /// How many pinned readers a pool may have at a time: each is an open file, and the oldest of
    /// them limits checkpoints.
    static let maximumPinnedCount = 32
}
