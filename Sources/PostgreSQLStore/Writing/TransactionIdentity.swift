#if PostgreSQL
/// A transaction as the server names it, and what tells whether the server has crashed since.
///
/// A crash loses the numbers of transactions of which nothing had reached the disk, and the server
/// then gives them again. It also discards its statistics, and notes when
/// (https://www.postgresql.org/docs/15/monitoring-stats.html).
///
/// A standby, and one that has taken the place of the primary server and so begun another timeline,
/// may lack what was committed: they prove nothing.
struct TransactionIdentity {
    /// What became of a transaction.
    enum Fate { case committed, rolledBack, inProgress, unknown }

    private let number: String
    private let statisticsStart: String
    private let timeline: String

    private static let server =
        """
        coalesce(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time())::text, ''), \
        CASE WHEN pg_is_in_recovery() THEN '' \
        ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
        """

    /// Gives the running transaction a number.
    static let query = Command("SELECT pg_current_xact_id()::text, \(server)")

    /// - Parameter rows: The result of `query`.
    init(_ rows: Rows) throws(PostgreSQLError) {
        number = try rows.text(0, 0)
        statisticsStart = try rows.text(0, 1)
        timeline = try rows.text(0, 2)
    }

    /// Asks on another link what became of the transaction, whose own link is lost.
    func fate(on link: Link) throws(PostgreSQLError) -> Fate {
        let server = try link.run(Command("SELECT \(Self.server)"))
        guard try server.text(0, 1) == timeline else { return .unknown }
        let hasCrashed = try server.text(0, 0) != statisticsStart
        let rows: Rows
        do {
            rows = try link.run(Command("SELECT pg_xact_status($1::xid8)", [.text(number)]))
        } catch {
            // The number is still to be given: a crash has lost the transaction.
            if error.sqlState == Self.invalidParameter { return .rolledBack }
            throw error
        }
        guard !rows.isNull(0, 0) else { return .unknown }
        return switch try rows.text(0, 0) {
        case "committed": hasCrashed ? .unknown : .committed
        case "aborted": .rolledBack
        // After a crash this is another transaction, which has the number of the lost one.
        default: hasCrashed ? .rolledBack : .inProgress
        }
    }

    private static let invalidParameter = "22023"

    /// Makes the server roll the transaction back.
    func endSession(on link: Link) throws(PostgreSQLError) {
        _ = try link.run(
            Command(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE backend_xid = $1::xid8::xid AND usename = current_user
                """, [.text(number)]))
    }
}
#endif
