import ObjectGraph

extension StoreReader {
    private static let historyTables = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

    var hasHistory: Bool {
        get throws {
            try integer("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'ACHANGE'") == 1
        }
    }

    /// The changes of one type in the store's history; 0 without a history.
    func changeCount(of type: PersistentHistoryChange.ChangeType) throws -> Int {
        guard try hasHistory else { return 0 }
        return try integer("SELECT COUNT(*) FROM ACHANGE WHERE ZCHANGETYPE = \(type.rawValue)")
    }

    /// Drops the history's tables and indexes.
    ///
    /// - Returns: the bytes of their pages.
    func dropHistory() throws -> Int {
        let before = try usedBytes
        for table in Self.historyTables { try execute("DROP TABLE \(table)") }
        return before - (try usedBytes)
    }
}

extension Verifier {
    /// Checks the changes in the store's history with plain SQL.
    ///
    /// - Parameter counts: the number of changes of each type; none of the others. Nil if the store
    ///   must have no history.
    mutating func checkHistory(
        in store: StoreReader, hasOnly counts: [PersistentHistoryChange.ChangeType: Int]?
    ) throws {
        let hasHistory = try store.hasHistory
        check("histories", hasHistory ? 1 : 0, equals: counts == nil ? 0 : 1)
        guard let counts, hasHistory else { return }
        for type in PersistentHistoryChange.ChangeType.allCases {
            let found = try store.changeCount(of: type)
            check("changes of type \(type)", found, equals: counts[type] ?? 0)
        }
        let strays = try store.integer(
            "SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)"
        )
        check("changes without a transaction", strays, equals: 0)
    }
}
