#if PostgreSQL
import Foundation
import ObjectGraph

// Reading and deleting the history of a store.
extension PostgreSQLStore: HistoryStore {
    var hasHistory: Bool { history != nil }
    var recordsHistory: Bool { history?.isRecording == true }

    func historyExtent() throws -> HistoryExtent {
        let rows = try readHistory(
            Command(
                """
                SELECT (SELECT min(Z_PK) FROM ATRANSACTION), (SELECT max(Z_PK) FROM ATRANSACTION), \
                (SELECT max(Z_MAX) FROM ATRANSACTIONCOUNTER)
                """))
        let numbers = try (0..<3).map { rows.isNull(0, $0) ? nil : try rows.integer(0, $0) }
        let newest = numbers[1] ?? numbers[2] ?? 0
        let last = max(newest, numbers[2] ?? 0)
        return HistoryExtent(oldest: numbers[0] ?? last + 1, newest: newest, last: last)
    }

    func historyNumber(from date: Date, isAfter: Bool) throws -> Int64? {
        let rows = try readHistory(
            Command(
                "SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP \(isAfter ? ">" : ">=") $1",
                [.real(date.timeIntervalSinceReferenceDate)]))
        return rows.isNull(0, 0) ? nil : try rows.integer(0, 0)
    }

    func historyTransactions(
        after number: Int64, limit: Int, _ filter: HistoryFilter, includesChanges: Bool,
        scopes: [ObjectIDScope]
    ) throws -> [PersistentHistoryTransaction] {
        try mapping {
            try pool.read { link in
                // All statements see one state.
                let transaction = ReadTransaction(link, nil, nil)
                defer { transaction.end() }
                let reader = HistoryReader(
                    history: history!, storeID: identifier, scopes: scopes,
                    transaction: transaction)
                return try reader.transactions(
                    after: number, limit: limit, filter, includesChanges: includesChanges)
            }
        }
    }

    func deleteHistory(before number: Int64) throws {
        try writeTransaction { transaction in
            _ = try transaction.run([
                Command(
                    """
                    DELETE FROM ACHANGE WHERE ZTRANSACTIONKEY IN (\
                    SELECT ZKEY FROM ATRANSACTION WHERE Z_PK < $1)
                    """, [.integer(number)]),
                Command("DELETE FROM ATRANSACTION WHERE Z_PK < $1", [.integer(number)]),
            ])
        }
    }

    private func readHistory(_ command: Command) throws -> Rows {
        try mapping { try pool.read { try $0.run(command) } }
    }

    /// Runs the body with what records its changes, if the store does that.
    ///
    /// - Returns: The outcome of the body with the number of the transaction.
    func recording(
        from origin: ChangeOrigin, in transaction: WriteTransaction,
        _ body: (HistoryRecorder?) throws -> BatchOutcome
    ) throws -> BatchOutcome {
        let recorder = history.flatMap {
            $0.isRecording ? HistoryRecorder($0, from: origin, transaction) : nil
        }
        var outcome = try body(recorder)
        outcome.historyNumber = try recorder?.finish()
        return outcome
    }
}
#endif
