import CSQLite

/// A compiled statement, used many times: bind, step through the rows, bind again.
final class Statement {
    let sql: String
    // Right to use: alive until `deinit` finalizes it, and confined with its connection.
    let pointer: OpaquePointer
    let connection: ConnectionHandle
    private let state: UnsafeMutablePointer<ConnectionHandle.State>
    /// The epoch of the connection in which this run began; 0 when idle.
    private var runEpoch = 0
    /// The run, for traces, and the count of rows when it began.
    private var span = TraceSpan.none
    private var rowsReadBefore = 0
    private let traceName = LazyTraceName()

    /// Whether its runs are no events, because what runs it is one.
    var isSilent = false

    /// The last failure to bind since the last run; the next run throws it.
    private var bindingCode = SQLITE_OK

    /// - Throws: also `SQLITE_MISUSE` if `sql` is not exactly one statement.
    convenience init(_ sql: String, on connection: ConnectionHandle) throws(SQLiteError) {
        var rest = Substring(sql)
        guard let pointer = try Self.compile(&rest, on: connection), rest.isBlank else {
            throw SQLiteError(
                extendedCode: SQLITE_MISUSE, message: "not exactly one statement", sql: sql,
                path: connection.path)
        }
        self.init(pointer, sql: sql, on: connection)
    }

    /// Compiles the first statement of `rest` and removes it from `rest`; nil if there is none.
    convenience init?(
        firstOf rest: inout Substring, on connection: ConnectionHandle
    ) throws(SQLiteError) {
        guard let pointer = try Self.compile(&rest, on: connection) else { return nil }
        self.init(pointer, sql: String(cString: sqlite3_sql(pointer)), on: connection)
    }

    private init(_ pointer: OpaquePointer, sql: String, on connection: ConnectionHandle) {
        self.pointer = pointer
        self.sql = sql
        self.connection = connection
        state = connection.state
    }

    deinit {
        if isRunning {
            state.pointee.runningStatements -= 1
            // Borrowed arguments may be gone by now, and the trace would read them.
            sqlite3_clear_bindings(pointer)
        }
        sqlite3_finalize(pointer)
    }

    /// Whether it was stepped and neither reset nor paused since.
    var isRunning: Bool { runEpoch == state.pointee.epoch }

    /// Whether it was paused. Its run may have ended since.
    private(set) var isPaused = false

    /// Whether it does not change the database.
    var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

    /// Moves to the next row; resets the statement at the end and on failure.
    ///
    /// - Returns: true for a row, whose values are valid until the next step or reset.
    /// - Throws: the first step also throws a failure to bind.
    @inline(__always)
    func step() throws(SQLiteError) -> Bool {
        if !isRunning { try start() }
        let code = sqlite3_step(pointer)
        if code == SQLITE_ROW {
            state.pointee.statistics.rowsRead &+= 1
            return true
        }
        try finish(code)
        return false
    }

    /// Steps to the end and discards rows.
    func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Ends the run and releases its locks and its snapshot. Keeps the arguments.
    func reset() {
        guard isRunning else { return }
        sqlite3_reset(pointer)
        runEpoch = 0
        state.pointee.runningStatements -= 1
        if span.isOn { endSpan() }
    }

    /// Lets the next step go on from the current row, although it counts as a run of its own. Until
    /// `endPause()` the statement keeps its snapshot.
    func pause() {
        guard isRunning else { return }
        runEpoch = 0
        state.pointee.runningStatements -= 1
        if span.isOn { endSpan() }
        isPaused = true
    }

    /// Ends the run of a paused statement, if a step or a reset has not ended it.
    func endPause() {
        sqlite3_reset(pointer)
        isPaused = false
    }

    private func start() throws(SQLiteError) {
        guard bindingCode == SQLITE_OK else {
            let code = bindingCode
            bindingCode = SQLITE_OK
            throw SQLiteError(
                extendedCode: code,
                message: "cannot bind an argument: \(String(cString: sqlite3_errstr(code)))",
                sql: sql, path: connection.path)
        }
        if state.pointee.explainsQueries, isReadOnly { connection.explain(sql, pointer) }
        runEpoch = state.pointee.epoch
        state.pointee.runningStatements += 1
        state.pointee.statistics.statementsRun += 1
        beginTrace()
    }

    private func beginTrace() {
        if !isSilent { span = TraceSpan() }
        if span.isOn { rowsReadBefore = state.pointee.statistics.rowsRead }
    }

    /// Call this before another thread goes on with the run.
    func endTrace() {
        if span.isOn { endSpan() }
    }

    /// Call this on a thread that goes on with the run: from here it is an event of its own.
    func continueTrace() { beginTrace() }

    @inline(never)
    private func endSpan() {
        // The connection may have given its statistics away since.
        let count = max(0, state.pointee.statistics.rowsRead - rowsReadBefore)
        span.end(.statement, traceName.get { TraceName(sql) }, count: count)
        span = .none
    }

    private func finish(_ code: Int32) throws(SQLiteError) {
        let failure = code == SQLITE_DONE ? nil : connection.error(code, sql: sql)
        // As for a table that is gone.
        if code == SQLITE_ERROR { state.pointee.mayHaveNewSchema = true }
        reset()
        if let failure { throw failure }
    }

    /// Records the result code of a binding function.
    @inline(__always)
    func noteBinding(_ code: Int32) {
        if code != SQLITE_OK { bindingCode = code }
    }

    func clearBindings() {
        sqlite3_clear_bindings(pointer)
        bindingCode = SQLITE_OK
    }

    // MARK: - Columns, counted from 0

    var columnCount: Int32 { sqlite3_column_count(pointer) }

    @inline(__always)
    func value(at column: Int32) -> SQLiteValueReference {
        // Never nil: for a column out of range or between rows, SQLite returns a NULL value.
        SQLiteValueReference(pointer: sqlite3_column_value(pointer, column)!)
    }

    private static func compile(
        _ rest: inout Substring, on connection: ConnectionHandle
    ) throws(SQLiteError) -> OpaquePointer? {
        var pointer: OpaquePointer?
        var usedBytes = 0
        let code = rest.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                connection.state.pointee.isCompiling = true
                defer { connection.state.pointee.isCompiling = false }
                let code = sqlite3_prepare_v3(
                    connection.database, text.baseAddress, Int32(clamping: text.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, &tail)
                usedBytes = tail.map { $0 - text.baseAddress! } ?? text.count
                return code
            }
        }
        if code != SQLITE_OK { connection.state.pointee.mayHaveNewSchema = true }
        try connection.check(code, sql: String(rest))
        if pointer != nil { connection.state.pointee.statistics.statementsPrepared += 1 }
        rest = rest[rest.utf8.index(rest.startIndex, offsetBy: usedBytes)...]
        return pointer
    }
}

extension Substring {
    fileprivate var isBlank: Bool { allSatisfy { $0.isWhitespace || $0 == ";" } }
}
