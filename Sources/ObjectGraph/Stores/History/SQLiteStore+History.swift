import Foundation

// Reading and deleting the history of a store.
extension SQLiteStore: HistoryStore {
    var hasHistory: Bool { history != nil }
    var recordsHistory: Bool { history?.isRecording == true }

    /// One statement, which reads the ends of two indexes.
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
