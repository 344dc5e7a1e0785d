import CSQLite
import Foundation

/// The open database and its counters. The connection and each of its statements keep it alive, so
/// a statement never outlives its database.
final class ConnectionHandle {
    /// The state that statements and SQLite's callbacks change. It has its own memory: callbacks
    /// get its address, and counting a row costs no exclusivity check.
    struct State {
        var statistics = ConnectionStatistics()
        var runningStatements = 0
        /// A statement is running if it began in the current epoch; see `resetStatements()`.
        var epoch = 1
        var busyWait: BusyWait
        /// Whether SQLite is compiling one of our statements.
        var isCompiling = false
        /// Whether the schema may be another one than that with which the connection began: SQLite
        /// has compiled a statement again, or a statement failed.
        var mayHaveNewSchema = false
        /// Whether each query is explained before it runs.
        var explainsQueries = false
        /// Receives the rows of the running statement; see `RowReceiver`.
        var rowReceiver: Unmanaged<RowReceiver>?
        var receivedRowCount: Int64 = 0
        /// The rows that the running statement inserts, and the most slots of a row; see
        /// `PendingRows`.
        var pendingRows: PendingRows?
        var pendingSlotCount = 0
        /// The key of the row that the next step looks up; see `RequestedKey`.
        var requestedKey: Int64?
        /// The frames of the WAL from which on a commit that is traced is followed by a checkpoint.
        var checkpointFrameCount: Int32 = 0
        /// Counts the rows of the running statement. Kept alive by `reporting(to:_:)` while it is
        /// set.
        var progress: Unmanaged<FetchProgress>?
    }

    /// How long a connection waits for a lock, and since when.
    struct BusyWait {
        var timeout: Duration
        var since = MonotonicTime.now
    }

    let database: OpaquePointer
    /// Nil for a database in memory.
    let path: String?
    // Right to share without a lock: this object owns it, and only the thread that uses the
    // connection touches it.
    let state: UnsafeMutablePointer<State>
    private var traceObserver: TraceObserver?
    private(set) var isClosed = false

    init(_ configuration: SQLiteConfiguration) throws(SQLiteError) {
        let flags =
            switch configuration.mode {
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite, .withoutIndex: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
            case .sharedMemory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
            }
        path = configuration.mode.isInMemory ? nil : configuration.path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(
            configuration.name, &opened,
            flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, configuration.vfs)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close(opened) }
            throw SQLiteError(extendedCode: code, message: message(of: opened, code), path: path)
        }
        database = opened
        if configuration.mode == .withoutIndex { stackbench_keep_wal(opened, 1) }
        state = .allocate(capacity: 1)
        state.initialize(to: State(busyWait: BusyWait(timeout: configuration.busyTimeout)))
        sqlite3_busy_handler(database, waitWhileBusy, state)
        _ = sqlite3_commit_hook(database, countCommit, state)
        _ = sqlite3_rollback_hook(database, countRollback, state)
        sqlite3_set_authorizer(database, noteCompilation, state)
    }

    deinit {
        if !isClosed { sqlite3_close_v2(database) }
        state.deallocate()
    }

    /// Whether statements are reported.
    var isTraced: Bool { traceObserver != nil }

    /// Starts to report statements as the configuration demands.
    func startTracing(_ configuration: SQLiteConfiguration) {
        guard let report = configuration.trace else { return }
        let observer = TraceObserver(report)
        let rows = configuration.tracesRows ? SQLITE_TRACE_ROW : 0
        sqlite3_trace_v2(
            database, UInt32(SQLITE_TRACE_PROFILE | rows), reportTrace,
            Unmanaged.passUnretained(observer).toOpaque())
        traceObserver = observer
        state.pointee.explainsQueries = configuration.explainsQueries
    }

    /// Runs a commit. With a tracer it takes the checkpoint that may follow over from SQLite, to
    /// report it apart.
    @inline(__always)
    func reportingCheckpoint(_ commit: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        guard EventTracing.isOn.load(ordering: .relaxed) else { return try commit() }
        try takingOverCheckpoint(commit)
    }

    @inline(never)
    private func takingOverCheckpoint(
        _ commit: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        guard let limit = integer("PRAGMA wal_autocheckpoint"), limit > 0 else {
            return try commit()
        }
        state.pointee.checkpointFrameCount = limit
        _ = sqlite3_wal_hook(database, checkpointAfterCommit, state)
        // SQLite's own hook again, in the place of ours.
        defer { sqlite3_wal_autocheckpoint(database, limit) }
        try commit()
    }

    /// Asks SQLite for the query plan, for the trace.
    func explain(_ sql: String, _ statement: OpaquePointer) {
        var explanation: OpaquePointer?
        state.pointee.isCompiling = true
        sqlite3_prepare_v2(database, "EXPLAIN QUERY PLAN \(sql)", -1, &explanation, nil)
        state.pointee.isCompiling = false
        defer { sqlite3_finalize(explanation) }
        var steps: [String] = []
        while sqlite3_step(explanation) == SQLITE_ROW {
            steps.append(sqlite3_column_text(explanation, 3).map { String(cString: $0) } ?? "")
        }
        traceObserver?.runs[statement, default: TraceObserver.Run()].plan = steps
    }

    /// The number that each change of the schema changes; nil if it cannot be read.
    var schemaVersion: Int32? { integer(Self.schemaVersionSQL) }

    /// The result of a statement that is neither counted nor traced; nil if it cannot be read.
    private func integer(_ sql: String) -> Int32? {
        var statement: OpaquePointer?
        state.pointee.isCompiling = true
        sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        state.pointee.isCompiling = false
        defer { sqlite3_finalize(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : nil
    }

    static let schemaVersionSQL = "PRAGMA main.schema_version"

    /// Records for the trace what a statement is about to insert.
    func noteArguments(of statement: OpaquePointer, _ rows: PendingRows) {
        traceObserver?.runs[statement, default: TraceObserver.Run()].arguments =
            rows.starts.flatMap { rows.descriptions(of: $0) }
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

    /// Ends every running statement, including those that other code holds.
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

    /// Returns the statistics and resets them.
    func takeStatistics() -> ConnectionStatistics {
        let taken = state.pointee.statistics
        state.pointee.statistics = ConnectionStatistics(pageSize: taken.pageSize)
        return taken
    }

    /// Moves SQLite's count of written pages into the statistics.
    func collectPagesWritten() {
        var pages: Int32 = 0
        var unused: Int32 = 0
        sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &unused, 1)
        state.pointee.statistics.pagesWritten += Int(pages)
    }
}

extension SQLiteConfiguration {
    /// The file name or URI that SQLite opens.
    fileprivate var name: String {
        let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
        return switch mode {
        case .immutable: "file:\(escaped)?immutable=1"
        case .sharedMemory: "file:\(escaped)?vfs=memdb"
        case .memory: ":memory:"
        case .readWriteCreate, .readWrite, .readOnly, .withoutIndex: path
        }
    }
}

/// The context of SQLite's trace callback: the closure, and the data of runs that have not ended.
private final class TraceObserver {
    struct Run {
        var rows: [[String]] = []
        var plan: [String] = []
        var arguments: [String] = []
    }

    let report: @Sendable (FinishedStatement) -> Void
    var runs: [OpaquePointer: Run] = [:]

    init(_ report: @escaping @Sendable (FinishedStatement) -> Void) { self.report = report }
}

/// SQLite's message if its last failure was `code`; otherwise its general text for that code.
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
    if earlierCalls == 0 { state.pointee.busyWait.since = .now }
    let remaining = state.pointee.busyWait.timeout - state.pointee.busyWait.since.age
    guard remaining > .zero else { return 0 }
    // First short pauses, since most transactions are short; then longer ones, to save processor
    // time.
    let pauses: InlineArray<_, Int> = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
    let pause = min(remaining, .milliseconds(pauses[min(Int(earlierCalls), pauses.count - 1)]))
    state.pointee.statistics.busyWaits += 1
    let span = TraceSpan()
    Thread.sleep(forTimeInterval: pause / .seconds(1))
    span.end(.busyWait)
    return 1
}

private func countCommit(context: UnsafeMutableRawPointer?) -> Int32 {
    let state = context!.assumingMemoryBound(to: State.self)
    state.pointee.statistics.transactionsCommitted += 1
    return 0
}

/// SQLite asks for permission when it compiles a statement: also when it does so by itself, since
/// the schema is another one.
private func noteCompilation(
    context: UnsafeMutableRawPointer?, action: Int32, _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    let state = context!.assumingMemoryBound(to: State.self)
    if !state.pointee.isCompiling, action != SQLITE_SAVEPOINT {
        state.pointee.mayHaveNewSchema = true
    }
    return SQLITE_OK
}

private func countRollback(context: UnsafeMutableRawPointer?) {
    let state = context!.assumingMemoryBound(to: State.self)
    state.pointee.statistics.transactionsRolledBack += 1
}

/// Does what SQLite does by itself (https://www.sqlite.org/c3ref/wal_autocheckpoint.html): a passive
/// checkpoint, whose failure the commit does not share.
private func checkpointAfterCommit(
    context: UnsafeMutableRawPointer?, database: OpaquePointer?, name: UnsafePointer<CChar>?,
    frameCount: Int32
) -> Int32 {
    let state = context!.assumingMemoryBound(to: State.self)
    guard frameCount >= state.pointee.checkpointFrameCount else { return SQLITE_OK }
    let span = TraceSpan()
    var copied: Int32 = 0
    sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, nil, &copied)
    span.end(.checkpoint, count: Int(copied))
    return SQLITE_OK
}

/// A result other than 0 interrupts the statement.
func reportProgress(context: UnsafeMutableRawPointer?) -> Int32 {
    let state = context!.assumingMemoryBound(to: State.self)
    return state.pointee.progress!._withUnsafeGuaranteedRef { progress in
        progress.note(rowCount: state.pointee.statistics.rowsRead)
        return progress.isCancelled ? 1 : 0
    }
}

private func reportTrace(
    kind: UInt32, context: UnsafeMutableRawPointer?, pointer: UnsafeMutableRawPointer?,
    nanoseconds: UnsafeMutableRawPointer?
) -> Int32 {
    let observer = Unmanaged<TraceObserver>.fromOpaque(context!).takeUnretainedValue()
    guard let pointer else { return 0 }
    let statement = OpaquePointer(pointer)
    if let sql = sqlite3_sql(statement), HeldSnapshot.isOwn(sql) { return 0 }
    let template = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    if template.hasPrefix("EXPLAIN") { return 0 }
    if kind == UInt32(SQLITE_TRACE_ROW) {
        observer.runs[statement, default: TraceObserver.Run()].rows.append(
            (0..<sqlite3_column_count(statement)).map { column in
                // Reading a blob as text would convert it, and the statement's user would get the
                // text.
                if sqlite3_column_type(statement, column) == SQLITE_BLOB {
                    return "<\(sqlite3_column_bytes(statement, column)) bytes>"
                }
                return sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
            })
        return 0
    }
    let expanded = sqlite3_expanded_sql(statement)
    defer { sqlite3_free(expanded) }
    let run = observer.runs.removeValue(forKey: statement) ?? TraceObserver.Run()
    observer.report(
        FinishedStatement(
            template: template, sql: expanded.map { String(cString: $0) } ?? template,
            duration: .nanoseconds(nanoseconds!.load(as: Int64.self)), rowCount: run.rows.count,
            rows: run.rows, plan: run.plan, insertedValues: run.arguments))
    return 0
}
