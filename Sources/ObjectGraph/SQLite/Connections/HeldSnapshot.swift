import CSQLite
import Synchronization

/// Keeps a connection's read transaction open from one read to the next.
///
/// Opening and closing one takes more than half of a look-up by key: locks of the shared memory,
/// the header of the WAL. A snapshot is held at most for a turn of a context's queue, and until
/// this process commits to the file. A read that must see the newest state uses it if no process
/// has committed since.
final class HeldSnapshot {
    // Alive until `deinit` finalizes them, and confined with their connection, which stays open
    // that long.
    private let begin: OpaquePointer
    private let end: OpaquePointer
    private let connection: ConnectionHandle

    /// The number of commits when the snapshot was taken; nil while none is held.
    private var commitCount: Int?

    /// Shows commits of other processes; nil without a WAL in shared memory.
    private let index: WALIndex?

    /// The state of the index before the snapshot was taken.
    private var indexState: WALIndex.State?

    /// Statements that keep the read transaction open as well.
    private var pausedStatements: [Statement] = []

    // Traces leave these out; see `isOwn`.
    private static let beginSQL = "SAVEPOINT HeldSnapshot"
    private static let endSQL = "RELEASE HeldSnapshot"

    init(on connection: ConnectionHandle) throws(SQLiteError) {
        func compile(_ sql: String) throws(SQLiteError) -> OpaquePointer {
            var statement: OpaquePointer?
            try connection.check(
                sqlite3_prepare_v3(
                    connection.database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement,
                    nil), sql: sql)
            return statement!
        }
        self.connection = connection
        index = WALIndex(of: connection.database)
        begin = try compile(Self.beginSQL)
        end = try compile(Self.endSQL)
    }

    deinit {
        release()
        sqlite3_finalize(begin)
        sqlite3_finalize(end)
    }

    var isHeld: Bool { commitCount != nil }

    /// Makes the following reads share one snapshot, which includes the first `commits` commits.
    ///
    /// Without a WAL it holds none: a writer would wait for its end to commit.
    ///
    /// - Parameter isNewest: Whether it must also include all commits of other processes.
    func hold(since commits: Int, isNewest: Bool) {
        guard let index else { return }
        if commitCount == commits, !isNewest || index.state == indexState { return }
        release()
        // Before the first read, which decides what the snapshot includes. A commit in between
        // makes the snapshot seem older than it is.
        indexState = index.state
        // If this fails, each read is its own transaction, as without this object.
        if sqlite3_step(begin) == SQLITE_DONE { commitCount = commits }
        sqlite3_reset(begin)
    }

    func release() {
        guard isHeld else { return }
        commitCount = nil
        for statement in pausedStatements { statement.endPause() }
        pausedStatements.removeAll(keepingCapacity: true)
        sqlite3_step(end)
        sqlite3_reset(end)
    }

    /// Pauses a running statement, until the snapshot is released.
    func pause(_ statement: Statement) {
        guard statement.isRunning else { return }
        if !statement.isPaused { pausedStatements.append(statement) }
        statement.pause()
    }

    /// Whether this SQL opens or closes a snapshot, or reads the version of the schema.
    static func isOwn(_ sql: UnsafePointer<CChar>) -> Bool {
        let text = String(cString: sql)
        return text == beginSQL || text == endSQL || text == ConnectionHandle.schemaVersionSQL
    }
}

/// How many times this process has written to a database.
final class CommitCounter: Sendable {
    let count = Atomic<Int>(0)

    let observers = CommitObservers()

    func add() {
        count.add(1, ordering: .releasing)
        observers.post()
    }

    private struct Known: Sendable {
        weak var counter: CommitCounter?
    }

    private static let byPath = Mutex<[String: Known]>([:])

    /// The counter that all users of a file, or of a named database in memory, share. Without a
    /// path a new counter.
    static func ofDatabase(_ path: String?) -> CommitCounter {
        guard let path else { return CommitCounter() }
        return byPath.withLock { known in
            if let counter = known[path]?.counter { return counter }
            known = known.filter { $0.value.counter != nil }
            let counter = CommitCounter()
            known[path] = Known(counter: counter)
            return counter
        }
    }
}
