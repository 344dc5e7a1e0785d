/// The work of one connection, or of all connections of a pool.
package struct ConnectionStatistics: Sendable, Hashable {
    /// Statements compiled. A statement found in the cache does not count.
    package var statementsPrepared = 0
    /// Executions: first steps after a reset, including `BEGIN` and `COMMIT`.
    package var statementsRun = 0
    /// Rows that statements returned.
    package var rowsRead = 0
    /// Write transactions committed, whether explicit or of a single statement.
    package var transactionsCommitted = 0
    /// Transactions rolled back, by request or after a failure.
    package var transactionsRolledBack = 0
    /// Pauses while another connection held a lock.
    var busyWaits = 0
    /// Pages written into the WAL or, without one, into the database file. Checkpoints and rollback
    /// journals do not count.
    var pagesWritten = 0
    /// Bytes in a page; 0 if no connection was counted.
    var pageSize = 0
    /// Bytes sent to a server.
    package var bytesSent = 0
    /// Messages to a server whose answer was waited for.
    package var roundTrips = 0

    package init() {}

    init(pageSize: Int) { self.pageSize = pageSize }

    var bytesWritten: Int { pagesWritten * pageSize + bytesSent }

    package static func += (sum: inout Self, other: Self) {
        sum.statementsPrepared += other.statementsPrepared
        sum.statementsRun += other.statementsRun
        sum.rowsRead += other.rowsRead
        sum.transactionsCommitted += other.transactionsCommitted
        sum.transactionsRolledBack += other.transactionsRolledBack
        sum.busyWaits += other.busyWaits
        sum.pagesWritten += other.pagesWritten
        sum.pageSize = max(sum.pageSize, other.pageSize)
        sum.bytesSent += other.bytesSent
        sum.roundTrips += other.roundTrips
    }
}
