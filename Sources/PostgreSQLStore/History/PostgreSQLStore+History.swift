#if PostgreSQL
import Foundation
import ObjectGraph

// Reading and deleting the history of a store.
extension PostgreSQLStore: HistoryStore {
    var recordsHistory: Bool { history?.isRecording == true }

    /// There are no mapped migrations.
    var formerIdentifiers: [String] { [] }

    private static let extent = Command(
        """
        SELECT (SELECT min(Z_PK) FROM ATRANSACTION), (SELECT max(Z_PK) FROM ATRANSACTION), \
        (SELECT max(Z_MAX) FROM ATRANSACTIONCOUNTER)
        """)

    func historyExtent() throws -> HistoryExtent {
        try mapping { try HistoryExtent(pool.read { try $0.run(Self.extent) }) }
    }

    func readHistory<T>(
        _ scopes: [ObjectIDScope], _ body: (any HistorySnapshot) throws -> T
    ) throws -> T {
        try mapping {
            try pool.read { link in
                let transaction = ReadTransaction(link, nil, nil)
                defer { transaction.end() }
                let extent = try HistoryExtent(transaction.run([Self.extent])[0])
                return try body(
                    HistoryReader(
                        extent: extent, history: history!, storeID: identifier, scopes: scopes,
                        transaction: transaction))
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

extension HistoryExtent {
    /// - Parameter rows: The oldest and the newest number, and the last one that was given.
    fileprivate init(_ rows: Rows) throws {
        let numbers = try (0..<3).map { rows.isNull(0, $0) ? nil : try rows.integer(0, $0) }
        let newest = numbers[1] ?? numbers[2] ?? 0
        let last = max(newest, numbers[2] ?? 0)
        self.init(oldest: numbers[0] ?? last + 1, newest: newest, last: last)
    }
}
#endif
