import CSQLite

/// SQLite copies each page before a statement of several rows first changes it, to take the
/// statement back if it fails. Beyond 64 KiB the copies go to a temporary file: in an import, more
/// bytes than the rows.
extension Connection {
    /// Runs a transaction that keeps these copies in memory. Its statements must change few pages
    /// each.
    func keepingStatementJournalInMemory<T>(_ body: () throws -> T) rethrows -> T {
        guard !keepsTemporaryStore else { return try body() }
        // A failure leaves the file in use, as without this method.
        sqlite3_exec(handle.database, "PRAGMA temp_store = 2", nil, nil, nil)
        defer { sqlite3_exec(handle.database, "PRAGMA temp_store = 0", nil, nil, nil) }
        return try body()
    }
}
