import CSQLite

/// Takes the rows of a statement such as `SELECT OGRows(a, b) FROM t`, which hands them over within one step.
///
/// SQLite calls the aggregate function once a row with the values in an array. Asking the statement for a column costs
/// a call that checks the statement, the row and the column: a tenth of the time of reading a table.
class RowReceiver {
    static let functionName = "OGRows"

    /// The most arguments that SQLite allows by default, rounded down (https://www.sqlite.org/limits.html).
    static let maximumColumnCount = 100

    /// Called for each row, in no promised order. The values are valid during the call.
    func receive(_ row: SQLFunctionArguments) {}
}

extension Statement {
    /// Runs a statement that calls `OGRows`, with the receiver for its rows.
    func run(into receiver: RowReceiver) throws(SQLiteError) {
        let state = connection.state
        state.pointee.rowReceiver = Unmanaged.passUnretained(receiver)
        defer { state.pointee.rowReceiver = nil }
        // The receiver is kept alive by the caller's reference until this returns.
        try withExtendedLifetime(receiver) { () throws(SQLiteError) in try run() }
        // The row that the aggregate itself makes.
        state.pointee.statistics.rowsRead &-= 1
    }
}

extension ConnectionHandle {
    func registerRowFunction() throws(SQLiteError) {
        try check(
            sqlite3_create_function_v2(
                database, RowReceiver.functionName, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, state, nil,
                receiveRow, { sqlite3_result_null($0) }, nil))
    }
}

private func receiveRow(
    context: OpaquePointer?, count: Int32, values: UnsafeMutablePointer<OpaquePointer?>?
) {
    let state = sqlite3_user_data(context)!.assumingMemoryBound(to: ConnectionHandle.State.self)
    guard let receiver = state.pointee.rowReceiver else {
        sqlite3_result_error(context, "OGRows is for the engine's own statements", -1)
        return
    }
    state.pointee.statistics.rowsRead &+= 1
    let row = SQLFunctionArguments(count: Int(count), values: values)
    // Alive while the statement runs; a reference count here would cost more than the call.
    receiver._withUnsafeGuaranteedRef { $0.receive(row) }
}
