import CSQLite
import Synchronization

/// What the connections of this process execute, whoever opened them.
///
/// Each new connection gets a trace callback. Only one can be had, and neither the engine nor GRDB
/// takes it unless told to.
final class StatementCounts: Sendable {
    static let shared = StatementCounts()

    let statements = Atomic<Int64>(0)
    let steps = Atomic<Int64>(0)
    let rows = Atomic<Int64>(0)

    /// Counts from now on, on all connections that are opened.
    func install() {
        let observe:
            @convention(c) (OpaquePointer?, UnsafeRawPointer?, UnsafeRawPointer?) -> Int32 = {
                connection, _, _ in
                let events = UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW)
                return sqlite3_trace_v2(connection, events, count, nil)
            }
        // SQLite calls it with those three arguments, whatever its header says of the type
        // (sqlite.org/c3ref/auto_extension.html).
        sqlite3_auto_extension(unsafeBitCast(observe, to: (@convention(c) () -> Void).self))
    }
}

/// A row of a statement, or the end of a run of one; its steps are SQLite's, and begin at 0 again.
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
