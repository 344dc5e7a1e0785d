#if PostgreSQL

/// The work of one link, or of all links of a pool.
struct LinkStatistics: Sendable, Hashable {
    /// Times that a link asked the server for an answer. Opening a connection does not count.
    var roundTripCount = 0
    /// Commands run, including `BEGIN` and `COMMIT`.
    var statementCount = 0
    /// Commands that the server had to prepare.
    var preparedCount = 0
    /// Rows that commands returned.
    var rowCount = 0
    /// The size of all parameters and copied rows.
    var sentByteCount = 0
    /// The memory of all results.
    var receivedByteCount = 0

    static func += (sum: inout Self, other: Self) {
        sum.roundTripCount += other.roundTripCount
        sum.statementCount += other.statementCount
        sum.preparedCount += other.preparedCount
        sum.rowCount += other.rowCount
        sum.sentByteCount += other.sentByteCount
        sum.receivedByteCount += other.receivedByteCount
    }
}
#endif
