import CSQLite

/// Takes the rows of a statement such as `SELECT OGRows(a, b) FROM t` or
/// `SELECT OGRow(a, b) FROM t ORDER BY c`.
///
/// SQLite calls the function once for each row, with the values in an array. Reading column by
/// column instead costs a tenth of the time of reading a table: each call checks the statement, the
/// row and the column.
class RowReceiver {
    /// An aggregate. It sees all rows within one step, before they are sorted or limited.
    static let aggregateName = "OGRows"

    /// Called for each row of the result, in result order. If SQLite has to sort, it sorts the
    /// results of the calls, so the calls come unsorted.
    static let functionName = "OGRow"

    /// Within the default limit for arguments of a function (https://www.sqlite.org/limits.html).
    static let maximumColumnCount = 100

    /// Called for each row. The values are valid during the call.
    func receive(_ row: SQLFunctionArguments) {}
}

extension Statement {
    /// Runs a statement that calls `OGRows`. The receiver gets the rows in no particular order.
    func runAggregate(into receiver: RowReceiver) throws(SQLiteError) {
        try lending(receiver) { () throws(SQLiteError) in
            // Does not count the row that the aggregate itself returns.
            guard try step() else { return }
            connection.state.pointee.statistics.rowsRead &-= 1
            try run()
        }
    }

    /// Runs a statement that calls `OGRow`; the receiver gets its rows.
    ///
    /// - Returns: whether the receiver got the rows in the order of the result.
    func run(into receiver: RowReceiver) throws(SQLiteError) -> Bool {
        try lending(receiver) { () throws(SQLiteError) in
            connection.state.pointee.receivedRowCount = 0
            var isInOrder = true
            var position: Int64 = 0
            while try step() {
                if value(at: 0).integer != position { isInOrder = false }
                position += 1
            }
            return isInOrder
        }
    }

    /// Runs a statement that calls `OGRow` and does not sort. Stops if the condition is false after
    /// a row.
    ///
    /// - Returns: Whether the receiver got all rows.
    func run(
        into receiver: RowReceiver, while condition: () -> Bool
    ) throws(SQLiteError) -> Bool {
        try lending(receiver) { () throws(SQLiteError) in
            while try step() { if !condition() { return false } }
            return true
        }
    }

    /// Whether a run has stepped through a table or an index without a search
    /// (`SQLITE_STMTSTATUS_FULLSCAN_STEP`).
    var hasScanned: Bool {
        sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) > 0
    }

    /// Whether SQLite reports that a run sorted rows (`SQLITE_STMTSTATUS_SORT`).
    var hasSorted: Bool { sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_SORT, 0) > 0 }

    @inline(__always)
    private func lending<T>(
        _ receiver: RowReceiver, _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        let state = connection.state
        state.pointee.rowReceiver = Unmanaged.passUnretained(receiver)
        defer { state.pointee.rowReceiver = nil }
        // The receiver is kept alive by the caller's reference until this returns.
        return try withExtendedLifetime(receiver, body)
    }
}

extension ConnectionHandle {
    func registerRowFunctions() throws(SQLiteError) {
        let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
        try check(
            sqlite3_create_function_v2(
                database, RowReceiver.aggregateName, -1, flags, state, nil, addRow,
                { sqlite3_result_null($0) }, nil))
        try check(
            sqlite3_create_function_v2(
                database, RowReceiver.functionName, -1, flags, state, giveRow, nil, nil, nil))
    }
}

private func addRow(
    context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let state = receiveRow(context, count, values) else { return }
    state.pointee.statistics.rowsRead &+= 1
}

/// Returns the number of rows received before.
private func giveRow(
    context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let state = receiveRow(context, count, values) else { return }
    sqlite3_result_int64(context, state.pointee.receivedRowCount)
    state.pointee.receivedRowCount &+= 1
}

/// - Returns: nil without a receiver.
@inline(__always)
private func receiveRow(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
) -> UnsafeMutablePointer<ConnectionHandle.State>? {
    let state = sqlite3_user_data(context)!.assumingMemoryBound(to: ConnectionHandle.State.self)
    guard let receiver = state.pointee.rowReceiver else {
        sqlite3_result_error(context, "OGRow and OGRows are for the engine's own statements", -1)
        return nil
    }
    let row = SQLFunctionArguments(count: Int(count), values: values)
    // Alive while the statement runs; a reference count here would cost more than the call.
    receiver._withUnsafeGuaranteedRef { $0.receive(row) }
    return state
}
