import Foundation

// Reading and deleting the history of a store.
extension SQLiteStore: HistoryStore {
    var recordsHistory: Bool { history?.isRecording == true }

    var formerIdentifiers: [String] { metadataState.list.formerIdentifiers }

    func historyExtent() throws -> HistoryExtent { try readHistory([]) { $0.extent } }

    /// The extent takes one statement, which reads the ends of two indexes.
    func readHistory<T>(
        _ scopes: [ObjectIDScope], _ body: (any HistorySnapshot) throws -> T
    ) throws -> T {
        try mapping {
            try pool.read { connection in
                let statement = try connection.statement(
                    """
                    SELECT (SELECT min(Z_PK) FROM ATRANSACTION), \
                    (SELECT max(Z_PK) FROM ATRANSACTION), \
                    (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transaction))
                    """)
                // It runs until the end of the body, so that all statements see one state.
                defer { statement.reset() }
                _ = try statement.step()
                let numbers = (Int32(0)..<3).map { column in
                    let value = statement.value(at: column)
                    return value.isNull ? nil : value.integer
                }
                guard numbers.allSatisfy({ (0..<Int64.max / 2).contains($0 ?? 0) }) else {
                    throw StoreError(
                        .damagedValue("the numbers of the history's transactions are \(numbers)"))
                }
                let newest = numbers[1] ?? numbers[2] ?? 0
                let last = max(newest, numbers[2] ?? 0)
                let extent = HistoryExtent(
                    oldest: numbers[0] ?? last + 1, newest: newest, last: last)
                return try body(
                    HistoryReader(
                        extent, history: history!, storeID: identifier, scopes: scopes,
                        connection: connection))
            }
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
}
