import CSQLite
import Synchronization

/// Counts the statements of all connections of this process.
///
/// Each new connection gets a trace callback. A connection has only one, and neither the engine nor
/// GRDB uses it by default.
final class StatementCounts: Sendable {
    static let shared = StatementCounts()

    let statements = Atomic<Int64>(0)
    let steps = Atomic<Int64>(0)
    let rows = Atomic<Int64>(0)

    /// Counts on all connections that are opened from now on.
    func install() {
        let observe:
            @convention(c) (OpaquePointer?, UnsafeRawPointer?, UnsafeRawPointer?) -> Int32 = {
                connection, _, _ in
                let events = UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW)
                return sqlite3_trace_v2(connection, events, count, nil)
            }
        // SQLite passes three arguments, although its header declares none
        // (sqlite.org/c3ref/auto_extension.html).
        sqlite3_auto_extension(unsafeBitCast(observe, to: (@convention(c) () -> Void).self))
    }
}

/// Called for each row of a statement and at its end. SQLite counts the steps from 0 for each run.
private func count(
    event: UInt32, context: UnsafeMutableRawPointer?, statement: UnsafeMutableRawPointer?,
    detail: UnsafeMutableRawPointer?
) -> Int32 {
    let counts = StatementCounts.shared
    if event == UInt32(SQLITE_TRACE_ROW) {
        counts.rows.add(1, ordering: .relaxed)
    } else {
        counts.statements.add(1, ordering: .relaxed)
        let steps = sqlite3_stmt_status(
            OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1)
        counts.steps.add(Int64(steps), ordering: .relaxed)
    }
    return 0
}
