import CSQLite
import Foundation

/// One open database, thin over the C API.
///
/// Confined: SQLite's mutexes are off, so one thread at a time may use a connection and what came from
/// it. It is not `Sendable`; `ConnectionPool` hands it from thread to thread.
final class Connection {
    let handle: ConnectionHandle
    let statementCache: StatementCache

    /// Made when a snapshot is first held.
    private(set) var heldSnapshot: HeldSnapshot?

    /// Opens the database, sets its pragmas and reads its header.
    ///
    /// - Throws: `SQLITE_CANTOPEN` for a missing file or folder, `SQLITE_NOTADB` for a file of another
    ///   kind, `SQLITE_CORRUPT` for a truncated one.
    init(_ configuration: SQLiteConfiguration) throws(SQLiteError) {
        handle = try ConnectionHandle(configuration)
        try handle.registerRowFunctions()
        statementCache = StatementCache(capacity: 256)
        var pragmas = configuration.pragmas
        if !configuration.pragmasOfNewFiles.isEmpty, try integer("PRAGMA page_count") == 0 {
            pragmas = configuration.pragmasOfNewFiles + pragmas
        }
        for pragma in pragmas {
            try waitingForLocks(configuration.busyTimeout) { () throws(SQLiteError) in
                try execute("PRAGMA \(quoted: pragma.name) = '\(escaped: pragma.value)'")
            }
        }
        // SQLite reads nothing on open: this shows now whether the file is a database.
        try execute("PRAGMA schema_version")
        let pageSize = try Int(integer("PRAGMA page_size"))
        handle.state.pointee.statistics.pageSize = pageSize
        _ = takeStatistics()
        handle.startTracing(configuration)
    }

    /// Runs the body on a connection of its own that reads the database and leaves no files beside it.
    ///
    /// Where that takes a connection without locks, somebody may write meanwhile: then the body runs again.
    ///
    /// - Parameter rollsBack: Whether a rollback journal that a crash has left may be played back.
    static func reading<T>(
        _ path: String, rollsBack: Bool = false, timeout: Duration,
        _ body: (Connection) throws -> T
    ) throws -> T {
        while true {
            let before = FileState(path: path)
            var configuration = SQLiteConfiguration.reading(path: path, rollsBack: rollsBack)
            configuration.busyTimeout = timeout
            let result = Result<T, any Error> {
                let connection = try Connection(configuration)
                let result = try body(connection)
                connection.handle.resetStatements()
                try connection.close()
                return result
            }
            if configuration.mode != .immutable || FileState(path: path) == before {
                return try result.get()
            }
        }
    }

    /// Runs the body again while it meets a lock: SQLite itself does not wait where a read lock has to become a write lock,
    /// as it has to when several connections give a new file its journal mode.
    private func waitingForLocks(
        _ timeout: Duration, _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let deadline = ContinuousClock.now + timeout
        while true {
            do {
                return try body()
            } catch {
                guard error.isBusy, ContinuousClock.now < deadline else { throw error }
                Thread.sleep(forTimeInterval: 0.002)
            }
        }
    }

    /// A statement ready to bind, all of its parameters NULL.
    ///
    /// It comes from the cache unless that one is still running; then a fresh one is compiled, which
    /// is not cached.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let cached = statementCache.statement(for: sql) {
            guard cached.isRunning else {
                cached.clearBindings()
                return cached
            }
            return try Statement(sql, on: handle)
        }
        let statement = try Statement(sql, on: handle)
        statementCache.insert(statement)
        return statement
    }

    /// Runs one or several statements to their end, discarding rows.
    func execute(_ sql: String) throws(SQLiteError) {
        var rest = Substring(sql)
        while let statement = try Statement(firstOf: &rest, on: handle) {
            try statement.run()
        }
    }

    /// Whether SQLite opened the file for reading only, because it was asked to or had to.
    var isReadOnly: Bool { sqlite3_db_readonly(handle.database, "main") == 1 }

    /// Rows changed by the last INSERT, UPDATE or DELETE, those of triggers left out.
    var changes: Int { Int(sqlite3_changes64(handle.database)) }

    var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle.database) }

    /// Runs the body while the progress counts the rows read; a cancellation ends its statements with `SQLITE_INTERRUPT`.
    ///
    /// SQLite asks on the connection's own thread, so that nothing is left of it when the connection goes to somebody else.
    func reporting<T>(to progress: FetchProgress?, _ body: () throws -> T) throws -> T {
        guard let progress else { return try body() }
        guard !progress.isCancelled else { throw handle.error(SQLITE_INTERRUPT) }
        handle.state.pointee.progress = Unmanaged.passUnretained(progress)
        sqlite3_progress_handler(handle.database, 4000, reportProgress, handle.state)
        defer {
            sqlite3_progress_handler(handle.database, 0, nil, nil)
            handle.state.pointee.progress = nil
            progress.note(rowCount: handle.state.pointee.statistics.rowsRead)
        }
        return try withExtendedLifetime(progress) { try body() }
    }

    /// What was done since the connection was opened or, if it is of a pool, borrowed.
    var statistics: ConnectionStatistics {
        handle.collectPagesWritten()
        return handle.state.pointee.statistics
    }

    /// Returns the statistics and starts them again from zero.
    func takeStatistics() -> ConnectionStatistics {
        handle.collectPagesWritten()
        return handle.takeStatistics()
    }

    /// Finalizes the cached statements and closes the database. Closing twice does nothing, and a
    /// connection that is merely released closes itself.
    ///
    /// - Throws: `SQLITE_BUSY` while a statement is still held; the database then stays open.
    func close() throws(SQLiteError) {
        statementCache.removeAll()
        heldSnapshot = nil
        try handle.close()
    }

    /// Sees to it that reads share a snapshot which is not older than the last of `commits`.
    func holdSnapshot(since commits: Int) throws(SQLiteError) {
        if heldSnapshot == nil { heldSnapshot = try HeldSnapshot(on: handle) }
        heldSnapshot!.hold(since: commits)
    }

    /// Lets the next read see the newest state.
    func releaseSnapshot() { heldSnapshot?.release() }

    private func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        let statement = try Statement(sql, on: handle)
        return try statement.step() ? statement.value(at: 0).integer : 0
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(quoted identifier: String) {
        appendLiteral("\"\(identifier.replacing("\"", with: "\"\""))\"")
    }

    fileprivate mutating func appendInterpolation(escaped text: String) {
        appendLiteral(text.replacing("'", with: "''"))
    }
}
