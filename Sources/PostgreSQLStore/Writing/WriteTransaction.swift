#if PostgreSQL
import ObjectGraph

/// One transaction on a link. It begins with its first statements, in the same round trip.
///
/// One thread uses it.
final class WriteTransaction {
    let link: Link
    private var hasBegun = false

    /// Nil before the first statements.
    private(set) var identity: TransactionIdentity?

    /// The connection was lost after COMMIT was sent.
    struct CommitLost: Error {
        let identity: TransactionIdentity
        let error: PostgreSQLError
    }

    init(_ link: Link) { self.link = link }

    // READ COMMITTED, as all sessions of a link: each statement compares versions with those
    // committed before it. The identity tells after a lost connection whether the transaction was
    // committed.
    private static let beginning = [Command("BEGIN"), TransactionIdentity.query]

    /// Runs statements in one round trip.
    func run(_ commands: [Command]) throws(PostgreSQLError) -> [Rows] {
        if hasBegun { return try link.run(commands) }
        hasBegun = true
        var results = try link.run(Self.beginning + commands)
        identity = try TransactionIdentity(results[1])
        results.removeFirst(Self.beginning.count)
        return results
    }

    func run(_ command: Command) throws(PostgreSQLError) -> Rows { try run([command])[0] }

    /// Begins the transaction without a statement of it.
    func begin() throws(PostgreSQLError) {
        if !hasBegun { _ = try run([]) }
    }

    /// Commits, and then notifies those who listen.
    ///
    /// The notification is a transaction of its own in the same round trip: one that notifies holds
    /// a lock of the whole server until its commit is on disk.
    ///
    /// - Throws: `CommitLost` if the connection was lost. Otherwise nothing was written.
    func commit(notifying notification: Command) throws {
        guard hasBegun, let identity else { return }
        hasBegun = false
        do {
            _ = try link.run([Command("COMMIT"), notification])
        } catch {
            if error.isConnectionLoss { throw CommitLost(identity: identity, error: error) }
            // The first command is committed. Observers learn of it with the next notification.
            guard error.commandIndex == 1 else { throw error }
        }
    }

    /// Rolls back. A link that cannot is broken, and the pool drops it.
    func rollBack() {
        guard hasBegun else { return }
        hasBegun = false
        _ = try? link.run(Command("ROLLBACK"))
    }
}
#endif
