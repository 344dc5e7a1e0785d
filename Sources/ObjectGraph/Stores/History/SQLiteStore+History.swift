import Foundation

// Reading and deleting the history of a store. Only for a store that has one.
extension SQLiteStore {
    /// The number of the newest transaction, 0 before the first; nil if the store has no history.
    /// One statement, which reads the ends of two indexes.
    func historyNumber() throws -> Int64? {
        history == nil ? nil : try historyExtent().newest
    }

    /// The transactions that the store has.
    func historyExtent() throws -> HistoryExtent {
        try readHistory { connection in
            let statement = try connection.statement(
                """
                SELECT (SELECT min(Z_PK) FROM ATRANSACTION), (SELECT max(Z_PK) FROM ATRANSACTION), \
                (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transaction))
                """)
            defer { statement.reset() }
            _ = try statement.step()
            let numbers = (Int32(0)..<3).map { column in
                let value = statement.value(at: column)
                return value.isNull ? nil : value.integer
            }
            let newest = numbers[1] ?? numbers[2] ?? 0
            let last = max(newest, numbers[2] ?? 0)
            return HistoryExtent(oldest: numbers[0] ?? last + 1, newest: newest, last: last)
        }
    }

    /// The number of the first transaction at or after a date; nil if there is none. Clocks go
    /// wrong: later transactions may have earlier dates.
    ///
    /// - Parameter isAfter: Whether a transaction at the date is too early.
    func historyNumber(from date: Date, isAfter: Bool) throws -> Int64? {
        try readHistory { connection in
            let statement = try connection.statement(
                "SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP \(isAfter ? ">" : ">=") ?")
            statement.bind(date.timeIntervalSinceReferenceDate, at: 1)
            defer { statement.reset() }
            _ = try statement.step()
            return statement.value(at: 0).isNull ? nil : statement.value(at: 0).integer
        }
    }

    /// Reads transactions of one state of the store, in ascending order.
    ///
    /// - Parameters:
    ///   - number: The transaction before the first.
    ///   - limit: The most to return.
    ///   - filter: Which to return.
    ///   - includesChanges: Whether they have their changes.
    ///   - scopes: Those of the store's objects, by entity index.
    func historyTransactions(
        after number: Int64, limit: Int, _ filter: HistoryFilter, includesChanges: Bool,
        scopes: [ObjectIDScope]
    ) throws -> [PersistentHistoryTransaction] {
        try readHistory { connection in
            var reader = HistoryReader(
                history: history!, storeID: identifier, scopes: scopes, connection: connection)
            return try reader.transactions(
                after: number, limit: limit, filter, includesChanges: includesChanges)
        }
    }

    /// Deletes the transactions before one, with their changes. Their numbers are not given again.
    func deleteHistory(before number: Int64) throws {
        try mapping {
            try write { connection in
                try connection.transaction(.immediate) {
                    for sql in [
                        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < ?",
                        "DELETE FROM ATRANSACTION WHERE Z_PK < ?",
                    ] {
                        let statement = try connection.statement(sql)
                        statement.bind(number, at: 1)
                        try statement.run()
                    }
                }
            }
        }
    }

    private func readHistory<T>(_ body: (Connection) throws -> T) throws -> T {
        try mapping { try pool.read { try body($0) } }
    }
}

/// The numbers of the transactions that a store has.
struct HistoryExtent: Sendable {
    /// The number of the oldest one; that of the next one if there is none.
    let oldest: Int64

    /// The number of the newest one, also if it was deleted.
    let newest: Int64

    /// The last number that was given.
    let last: Int64

    /// - Throws: `StoreError` if transactions after this number are missing.
    func requireAll(after number: Int64) throws(StoreError) {
        guard number >= oldest - 1, number <= last else {
            throw StoreError(.historyExpired(after: number, oldest: oldest, newest: newest))
        }
    }
}
