import CSQLite
import Foundation

/// One open database: a thin layer over the C API.
///
/// Confined: SQLite's mutexes are off, so only one thread at a time may use a connection and the
/// objects that it returns. It is not `Sendable`; `ConnectionPool` passes it between threads.
final class Connection {
    let handle: ConnectionHandle
    let statementCache: StatementCache

    /// The temporary store in use; nil if it stays as it is: the configuration chooses it, or there
    /// are temporary triggers, which a change deletes
    /// (https://www.sqlite.org/pragma.html#pragma_temp_store).
    var temporaryStore: TemporaryStore?

    /// Whether the file was seen to have a WAL. It then has one until all connections close.
    var isKnownToHaveWAL = false

    /// Whether the file has the content that was opened; nil if anything is right.
    var isSameDatabase: ((Connection) throws -> Bool)?

    /// The version of the schema of the content that was opened.
    private var schemaVersion: Int32?

    /// Created when a snapshot is first held.
    private(set) var heldSnapshot: HeldSnapshot?

    /// Opens the database, sets its pragmas and reads its header.
    ///
    /// - Throws: `SQLITE_CANTOPEN` for a missing file or folder, `SQLITE_NOTADB` for a file of
    ///   another kind, `SQLITE_CORRUPT` for a truncated one.
    init(_ configuration: SQLiteConfiguration) throws(SQLiteError) {
        handle = try ConnectionHandle(configuration)
        try handle.registerRowFunctions()
        statementCache = StatementCache(capacity: 256)
        let isChosen = configuration.pragmas.contains { $0.name.lowercased() == "temp_store" }
        temporaryStore = isChosen ? nil : .files
        var pragmas = configuration.pragmas
        if !configuration.pragmasOfNewFiles.isEmpty, try integer("PRAGMA page_count") == 0 {
            pragmas = configuration.pragmasOfNewFiles + pragmas
        }
        for pragma in pragmas {
            try waitingForLocks(configuration.busyTimeout) { () throws(SQLiteError) in
                let sql = "PRAGMA \(quoted: pragma.name) = '\(escaped: pragma.value)'"
                let statement = try Statement(sql, on: handle)
                if try statement.step(), pragma.name.lowercased() == "journal_mode" {
                    isKnownToHaveWAL = statement.value(at: 0).string == "wal"
                }
                // To the end, where SQLite commits a new mode.
                if statement.isRunning { try statement.run() }
            }
        }
        // SQLite reads nothing on open; this fails now if the file is not a database.
        try execute("PRAGMA schema_version")
        let pageSize = try Int(integer("PRAGMA page_size"))
        handle.state.pointee.statistics.pageSize = pageSize
        _ = takeStatistics()
        handle.startTracing(configuration)
    }

    /// Runs the body on its own connection, which reads the database and leaves no files beside it.
    ///
    /// The connection may have to work without locks. If the file changes meanwhile, the body runs
    /// again.
    ///
    /// - Parameter rollsBack: Whether SQLite may roll back a journal that a crash has left.
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

    /// Repeats the body while it fails on a lock, until the timeout.
    ///
    /// SQLite does not wait when a read lock has to become a write lock. This happens when several
    /// connections set the journal mode of a new file.
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

    /// A statement that is ready for binding; all its parameters are NULL.
    ///
    /// It comes from the cache. If the cached one is still running, a new one is compiled and not
    /// cached.
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

    /// Runs one or several statements to their end and discards their rows.
    func execute(_ sql: String) throws(SQLiteError) {
        var rest = Substring(sql)
        while let statement = try Statement(firstOf: &rest, on: handle) {
            try statement.run()
        }
    }

    /// Throws if another content has replaced that of the file since the connection was opened.
    ///
    /// Replacing the content changes the version of the schema, as other things do, so SQLite
    /// compiles the next statement again. Only then does this read anything.
    ///
    /// - Throws: `SQLITE_READONLY_DBMOVED`, as for a file that is no longer in its place.
    @inline(__always)
    func requireSameDatabase() throws {
        if handle.state.pointee.mayHaveNewSchema { try requireSameContent() }
    }

    @inline(never)
    private func requireSameContent() throws {
        guard let isSameDatabase else { return }
        // SQLite also compiles statements again when settings have changed.
        if handle.schemaVersion != schemaVersion {
            guard try isSameDatabase(self) else {
                throw SQLiteError.fileReplaced(path: handle.path)
            }
        }
        acceptContent()
    }

    /// Takes the present content of the file for that which was opened.
    func acceptContent() {
        schemaVersion = handle.schemaVersion
        handle.state.pointee.mayHaveNewSchema = false
    }

    /// Whether SQLite opened the file read-only, by request or because it had to.
    var isReadOnly: Bool { sqlite3_db_readonly(handle.database, "main") == 1 }

    /// Rows changed by the last INSERT, UPDATE or DELETE, without those that triggers changed.
    var changes: Int { Int(sqlite3_changes64(handle.database)) }

    /// Runs the body while `progress` counts the rows read. A cancellation ends the running
    /// statement with `SQLITE_INTERRUPT`.
    ///
    /// SQLite polls for it on the connection's own thread, so a late cancellation cannot interrupt
    /// the next user of the connection.
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

    /// The work since the connection was opened or, for a connection of a pool, borrowed.
    var statistics: ConnectionStatistics {
        handle.collectPagesWritten()
        return handle.state.pointee.statistics
    }

    /// Returns the statistics and resets them.
    func takeStatistics() -> ConnectionStatistics {
        handle.collectPagesWritten()
        return handle.takeStatistics()
    }

    /// Finalizes the cached statements and closes the database. Closing twice does nothing. A
    /// released connection closes itself.
    ///
    /// - Throws: `SQLITE_BUSY` while a statement is referenced; the database then stays open.
    func close() throws(SQLiteError) {
        statementCache.removeAll()
        heldSnapshot = nil
        try handle.close()
    }

    /// Makes the following reads share one snapshot, which includes the first `commits` commits.
    ///
    /// - Parameter isNewest: as in `HeldSnapshot.hold`.
    func holdSnapshot(since commits: Int, isNewest: Bool) throws(SQLiteError) {
        if heldSnapshot == nil { heldSnapshot = try HeldSnapshot(on: handle) }
        heldSnapshot!.hold(since: commits, isNewest: isNewest)
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
