import CSQLite

enum TransactionKind: String, Sendable {
    /// Takes a lock when it first reads or writes.
    case deferred = "BEGIN DEFERRED"
    /// Takes the write lock at once, waiting for it up to the busy timeout.
    case immediate = "BEGIN IMMEDIATE"
    /// As immediate; without a WAL it keeps readers out too.
    case exclusive = "BEGIN EXCLUSIVE"
}

enum CheckpointMode: Sendable {
    /// Copies what it can without waiting for anyone.
    case passive
    /// Waits for the writer and for readers of old snapshots, then copies all frames.
    case full
    /// As full, and waits until the next writer can start the WAL over.
    case restart
    /// As restart, and cuts the WAL to no bytes.
    case truncate
}

extension Connection {
    var isInTransaction: Bool { sqlite3_get_autocommit(handle.database) == 0 }

    func begin(_ kind: TransactionKind) throws(SQLiteError) {
        try statement(kind.rawValue).run()
    }

    /// - Throws: `SQLITE_BUSY` if a lock cannot be had; the transaction is then still open.
    func commit() throws(SQLiteError) {
        try statement("COMMIT").run()
    }

    /// Never throws, since there is nothing left to do about it; does nothing outside a transaction,
    /// which SQLite may have ended by itself after a failure.
    func rollback() {
        guard isInTransaction else { return }
        try? statement("ROLLBACK").run()
    }

    /// Commits what `body` did, or rolls it back if it or the commit fails. Transactions do not nest.
    func transaction<T>(_ kind: TransactionKind, _ body: () throws -> T) throws -> T {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Copies the WAL into the database file.
    ///
    /// - Returns: frames in the WAL, and how many of them are in the file now; -1 without a WAL.
    /// - Throws: `SQLITE_BUSY` if the mode has to wait for another connection longer than the timeout.
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
        try handle.check(
            sqlite3_wal_checkpoint_v2(handle.database, "main", flag, &frames, &copied))
        return (Int(frames), Int(copied))
    }

    /// Drops everything in the database and gives its space back; also of one whose schema is damaged.
    func empty() throws(SQLiteError) {
        statementCache.removeAll()
        try handle.check(stackbench_reset_database(handle.database, 1))
        defer { _ = stackbench_reset_database(handle.database, 0) }
        try execute("VACUUM")
    }

    /// Overwrites the whole of `destination` with the content of `source`, in one transaction.
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
