import CSQLite
import Synchronization

/// Keeps a connection's read transaction open from one read to the next.
///
/// Opening and closing one takes more than half of a look-up by key: locks of the shared memory, the header of the WAL.
/// A snapshot is held within a turn of a context's queue only, and until the next commit of this process to the file.
final class HeldSnapshot {
    // Confined with their connection, which releases this object before it closes.
    private let begin: OpaquePointer
    private let end: OpaquePointer
    private let database: OpaquePointer

    /// How many commits there had been when the snapshot was taken; nil while none is held.
    private var commitCount: Int?

    // Recognised by `isOwn`, so that neither counts nor traces show them.
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
        database = connection.database
        begin = try compile(Self.beginSQL)
        end = try compile(Self.endSQL)
    }

    deinit {
        release()
        sqlite3_finalize(begin)
        sqlite3_finalize(end)
    }

    var isHeld: Bool { commitCount != nil }

    /// Sees to it that reads share a snapshot which is not older than the last of `commits`.
    func hold(since commits: Int) {
        if commitCount == commits { return }
        release()
        // If it fails, each read is a transaction of its own, as without this object.
        if sqlite3_step(begin) == SQLITE_DONE { commitCount = commits }
        sqlite3_reset(begin)
    }

    func release() {
        guard isHeld else { return }
        commitCount = nil
        sqlite3_step(end)
        sqlite3_reset(end)
    }

    /// Whether SQL text is of the statements that open and close snapshots.
    static func isOwn(_ sql: UnsafePointer<CChar>) -> Bool {
        let text = String(cString: sql)
        return text == beginSQL || text == endSQL
    }
}

/// How many times this process has written to a database file.
final class CommitCounter: Sendable {
    let count = Atomic<Int>(0)

    private struct Known: Sendable {
        weak var counter: CommitCounter?
    }

    private static let byPath = Mutex<[String: Known]>([:])

    /// The counter of a file, shared by all who ask for it. Nil, for a database in memory, gives a counter of its own.
    static func ofFile(_ path: String?) -> CommitCounter {
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
