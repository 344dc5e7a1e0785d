import CSQLite

/// Takes the rows of a statement such as `SELECT OGRows(a, b) FROM t` or `SELECT OGRow(a, b) FROM t ORDER BY c`.
///
/// SQLite calls the function once a row with the values in an array. Asking the statement for a column costs a call that
/// checks the statement, the row and the column: a tenth of the time of reading a table.
class RowReceiver {
    /// An aggregate, which sees all rows within one step, before they are sorted or cut.
    static let aggregateName = "OGRows"

    /// Called for each row of the result, in its order unless SQLite sorts it, which it does with the results of the calls.
    static let functionName = "OGRow"

    /// The most arguments that SQLite allows by default, rounded down (https://www.sqlite.org/limits.html).
    static let maximumColumnCount = 100

    /// Called for each row. The values are valid during the call.
    func receive(_ row: SQLFunctionArguments) {}
}

extension Statement {
    /// Runs a statement that calls `OGRows`, with the receiver for its rows, which come in no promised order.
    func runAggregate(into receiver: RowReceiver) throws(SQLiteError) {
        try lending(receiver) { () throws(SQLiteError) in try run() }
        // The row that the aggregate itself makes.
        connection.state.pointee.statistics.rowsRead &-= 1
    }

    /// Runs a statement that calls `OGRow`, with the receiver for its rows.
    ///
    /// - Returns: whether the rows have come in the order of the result.
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

    /// Whether a run has sorted rows, as far as is known. Source: sqlite3_stmt_status, SQLITE_STMTSTATUS_SORT.
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

/// Its result is how many rows were received before.
private func giveRow(
    context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let state = receiveRow(context, count, values) else { return }
    sqlite3_result_int64(context, state.pointee.receivedRowCount)
    state.pointee.receivedRowCount &+= 1
}

/// - Returns: nil where nobody receives.
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
