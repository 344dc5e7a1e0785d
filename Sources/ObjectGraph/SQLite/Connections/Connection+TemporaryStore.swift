import CSQLite

/// Where SQLite keeps what it does not keep in the database: `temp_store`.
///
/// That is what a statement sorts, and the copies of the pages that a statement of several rows
/// changes, which take the statement back if it fails. Beyond 64 KiB the copies go to a temporary
/// file: in an import, more bytes than the rows.
enum TemporaryStore: Int {
    case files = 0
    case memory = 2
}

extension Connection {
    /// Sets the temporary store for what follows, unless it is so, or stays as it is.
    ///
    /// A failure leaves the one in use.
    func use(_ store: TemporaryStore) {
        guard let current = temporaryStore, current != store else { return }
        let sql = "PRAGMA temp_store = \(store.rawValue)"
        guard sqlite3_exec(handle.database, sql, nil, nil, nil) == SQLITE_OK else { return }
        temporaryStore = store
    }
}
