import CSQLite

enum TransactionKind: String, Sendable {
    /// Takes a lock when it first reads or writes.
    case deferred = "BEGIN DEFERRED"
    /// Takes the write lock at once, waiting for it up to the busy timeout.
    case immediate = "BEGIN IMMEDIATE"
    /// Like `immediate`; without a WAL it also blocks readers.
    case exclusive = "BEGIN EXCLUSIVE"
}

enum CheckpointMode: Sendable {
    /// Copies what it can without waiting.
    case passive
    /// Waits for the writer and for readers of old snapshots, then copies all frames.
    case full
    /// Like `full`, and waits until the next writer can restart the WAL.
    case restart
    /// Like `restart`, and truncates the WAL file to zero bytes.
    case truncate
}

extension Connection {
    var isInTransaction: Bool { sqlite3_get_autocommit(handle.database) == 0 }

    func begin(_ kind: TransactionKind) throws(SQLiteError) {
        try statement(kind.rawValue).run()
    }

    /// - Throws: `SQLITE_BUSY` if a lock is not available; the transaction then stays open.
    func commit() throws(SQLiteError) {
        let commit = try statement("COMMIT")
        try handle.reportingCheckpoint { () throws(SQLiteError) in try commit.run() }
    }

    /// Begins a transaction that reads the present state until it ends.
    ///
    /// - Returns: False, without a transaction, if the file has no WAL: readers and the writer
    ///   would exclude each other.
    func beginSnapshot() throws(SQLiteError) -> Bool {
        guard try hasWAL() else { return false }
        try begin(.deferred)
        // SQLite decides which state a transaction reads when it first reads.
        _ = try firstValue("SELECT count(*) FROM sqlite_schema")
        return true
    }

    /// Whether a running statement reads one state while others write. Costs a statement until the
    /// file has a WAL.
    func hasWAL() throws(SQLiteError) -> Bool {
        if !isKnownToHaveWAL { isKnownToHaveWAL = try firstValue("PRAGMA journal_mode") == "wal" }
        return isKnownToHaveWAL
    }

    private func firstValue(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.value(at: 0).string : nil
    }

    /// Ignores errors, since the caller could not handle them. Does nothing outside a transaction:
    /// SQLite may have rolled back by itself after a failure.
    func rollback() {
        guard isInTransaction else { return }
        try? statement("ROLLBACK").run()
    }

    /// Commits the changes of `body`, or rolls back if `body` or the commit fails, or if the content
    /// of the file was replaced. Does not nest.
    func transaction<T>(_ kind: TransactionKind, _ body: () throws -> T) throws -> T {
        try begin(kind)
        do {
            let result = try body()
            try requireSameDatabase()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Copies the WAL into the database file.
    ///
    /// - Returns: the number of frames in the WAL, and how many of them are now in the file; -1
    ///   without a WAL.
    /// - Throws: `SQLITE_BUSY` if another connection blocks this mode longer than the busy timeout.
    @discardableResult
    func checkpoint(
        _ mode: CheckpointMode
    ) throws(SQLiteError) -> (walFrameCount: Int, copiedFrameCount: Int) {
        let flag =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var frames: Int32 = 0
        var copied: Int32 = 0
        let span = TraceSpan()
        let code = sqlite3_wal_checkpoint_v2(handle.database, "main", flag, &frames, &copied)
        span.end(.checkpoint, count: Int(copied))
        try handle.check(code)
        return (Int(frames), Int(copied))
    }

    /// Deletes the whole content and frees its space. Works even if the schema is damaged.
    func empty() throws(SQLiteError) {
        statementCache.removeAll()
        try handle.check(stackbench_reset_database(handle.database, 1))
        defer { _ = stackbench_reset_database(handle.database, 0) }
        try execute("VACUUM")
    }

    /// Replaces the content of `destination` with that of `source`, in one transaction.
    static func backup(
        from source: Connection, to destination: Connection
    ) throws(SQLiteError) {
        let target = destination.handle
        let backup = sqlite3_backup_init(target.database, "main", source.handle.database, "main")
        guard let backup else {
            throw target.error(sqlite3_extended_errcode(target.database))
        }
        sqlite3_backup_step(backup, -1)
        try target.check(sqlite3_backup_finish(backup))
    }
}
