import CSQLite
import Foundation

/// The open database and its counters, kept alive by the connection and by each of its statements,
/// so that a statement never outlives the database that it belongs to.
final class ConnectionHandle {
    /// What statements and SQLite's callbacks change. It lies in memory of its own: callbacks get its
    /// address, and an increment for each row costs no exclusivity check.
    struct State {
        var statistics = ConnectionStatistics()
        var runningStatements = 0
        /// A statement is running if it began in the present epoch; see `resetStatements()`.
        var epoch = 1
        var busyTimeout: Duration
        var busySince = ContinuousClock.now
        /// Who gets the rows of the statement that is running; see `RowReceiver`.
        var rowReceiver: Unmanaged<RowReceiver>?
    }

    let database: OpaquePointer
    /// Nil for a database in memory.
    let path: String?
    // Right to share without a lock: owned by this object, and touched only by the thread that uses
    // the connection.
    let state: UnsafeMutablePointer<State>
    private var traceObserver: TraceObserver?
    private(set) var isClosed = false

    init(_ configuration: SQLiteConfiguration) throws(SQLiteError) {
        let flags =
            switch configuration.mode {
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
            }
        let isInMemory = configuration.mode == .memory
        path = isInMemory ? nil : configuration.path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            isInMemory ? ":memory:" : configuration.path, &opened,
            flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, configuration.vfs)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close(opened) }
            throw SQLiteError(extendedCode: code, message: message(of: opened, code), path: path)
        }
        database = opened
        state = .allocate(capacity: 1)
        state.initialize(to: State(busyTimeout: configuration.busyTimeout))
        sqlite3_busy_handler(database, waitWhileBusy, state)
        _ = sqlite3_commit_hook(database, countCommit, state)
        _ = sqlite3_rollback_hook(database, countRollback, state)
    }

    deinit {
        if !isClosed { sqlite3_close_v2(database) }
        state.deallocate()
    }

    func startTracing(_ report: @escaping @Sendable (TraceEvent) -> Void) {
        let observer = TraceObserver(report)
        sqlite3_trace_v2(
            database, UInt32(SQLITE_TRACE_PROFILE), reportProfile,
            Unmanaged.passUnretained(observer).toOpaque())
        traceObserver = observer
    }

    /// - Throws: `SQLITE_BUSY` while statements are alive; the database then stays open.
    func close() throws(SQLiteError) {
        guard !isClosed else { return }
        try check(sqlite3_close(database))
        isClosed = true
    }

    func check(_ code: Int32, sql: String? = nil) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
    }

    func error(_ code: Int32, sql: String? = nil) -> SQLiteError {
        SQLiteError(
            extendedCode: code, message: message(of: isClosed ? nil : database, code), sql: sql,
            path: path)
    }

    /// Ends every statement still running, wherever it is held.
    func resetStatements() {
        guard state.pointee.runningStatements > 0 else { return }
        var statement = sqlite3_next_stmt(database, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 {
                // Borrowed arguments may be gone by now, and the trace would read them on reset.
                sqlite3_clear_bindings(current)
                sqlite3_reset(current)
            }
            statement = sqlite3_next_stmt(database, current)
        }
        state.pointee.runningStatements = 0
        state.pointee.epoch += 1
    }

    /// Returns the statistics and starts them again from zero.
    func takeStatistics() -> ConnectionStatistics {
        let taken = state.pointee.statistics
        state.pointee.statistics = ConnectionStatistics(pageSize: taken.pageSize)
        return taken
    }

    /// Moves SQLite's own count of pages into the statistics.
    func collectPagesWritten() {
        var pages: Int32 = 0
        var unused: Int32 = 0
        sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &unused, 1)
        state.pointee.statistics.pagesWritten += Int(pages)
    }
}

/// Holds the closure that SQLite's C callback gets as its context.
private final class TraceObserver {
    let report: @Sendable (TraceEvent) -> Void
    init(_ report: @escaping @Sendable (TraceEvent) -> Void) { self.report = report }
}

/// SQLite's message for the last failure if it was `code`, or its general text for that code.
private func message(of database: OpaquePointer?, _ code: Int32) -> String {
    if let database, sqlite3_extended_errcode(database) == code {
        return String(cString: sqlite3_errmsg(database))
    }
    return String(cString: sqlite3_errstr(code))
}

// SQLite calls these on the thread that uses the connection, so they may change its state.

private typealias State = ConnectionHandle.State

private func waitWhileBusy(context: UnsafeMutableRawPointer?, earlierCalls: Int32) -> Int32 {
    let state = context!.assumingMemoryBound(to: State.self)
    let now = ContinuousClock.now
    if earlierCalls == 0 { state.pointee.busySince = now }
    let remaining = state.pointee.busyTimeout - (now - state.pointee.busySince)
    guard remaining > .zero else { return 0 }
    // Short at first, since most transactions are; then seldom, not to burn the processor.
    let pauses: InlineArray<_, Int> = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
    let pause = min(remaining, .milliseconds(pauses[min(Int(earlierCalls), pauses.count - 1)]))
    state.pointee.statistics.busyWaits += 1
    Thread.sleep(forTimeInterval: pause / .seconds(1))
    return 1
}

private func countCommit(context: UnsafeMutableRawPointer?) -> Int32 {
    let state = context!.assumingMemoryBound(to: State.self)
    state.pointee.statistics.transactionsCommitted += 1
    return 0
}

private func countRollback(context: UnsafeMutableRawPointer?) {
    let state = context!.assumingMemoryBound(to: State.self)
    state.pointee.statistics.transactionsRolledBack += 1
}

private func reportProfile(
    kind: UInt32, context: UnsafeMutableRawPointer?, statement: UnsafeMutableRawPointer?,
    nanoseconds: UnsafeMutableRawPointer?
) -> Int32 {
    if let sql = sqlite3_sql(OpaquePointer(statement)), HeldSnapshot.isOwn(sql) { return 0 }
    let observer = Unmanaged<TraceObserver>.fromOpaque(context!).takeUnretainedValue()
    let expanded = sqlite3_expanded_sql(OpaquePointer(statement))
    defer { sqlite3_free(expanded) }
    let sql = expanded ?? UnsafeMutablePointer(mutating: sqlite3_sql(OpaquePointer(statement)))
    observer.report(
        TraceEvent(
            sql: sql.map { String(cString: $0) } ?? "",
            duration: .nanoseconds(nanoseconds!.load(as: Int64.self))))
    return 0
}
