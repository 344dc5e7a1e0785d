/// The tables in which a store keeps its history: Core Data's own (spec §8.7).
enum HistoryTables {
    /// The numbers of Core Data's entities for the rows of the three tables.
    static let (change, transaction, text): (Int64, Int64, Int64) = (16001, 16002, 16003)

    private static let columns = [
        "ATRANSACTION": [
            "ZAUTHORTS INTEGER", "ZBUNDLEIDTS INTEGER", "ZCONTEXTNAMETS INTEGER",
            "ZPROCESSIDTS INTEGER", "ZTIMESTAMP FLOAT", "ZAUTHOR VARCHAR", "ZBUNDLEID VARCHAR",
            "ZCONTEXTNAME VARCHAR", "ZPROCESSID VARCHAR", "ZQUERYGEN BLOB",
        ],
        "ATRANSACTIONSTRING": ["ZNAME VARCHAR"],
        "ACHANGE": [
            "ZCHANGETYPE INTEGER", "ZENTITY INTEGER", "ZENTITYPK INTEGER", "ZTRANSACTIONID INTEGER",
            "ZCOLUMNS BLOB",
        ],
    ]

    private static let indexes = [
        "INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR)",
        "INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP)",
        "UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME)",
        "INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    ]

    /// The column of the value that a deleted object had in an attribute that is preserved.
    static func tombstone(_ slot: Int) -> String { "ZTOMBSTONE\(slot)" }

    /// Makes the tables, or what an earlier version of Core Data or another model left out.
    ///
    /// A file that has everything is only read.
    static func prepare(on connection: Connection, tombstoneCount: Int) throws {
        if try missing(on: connection, tombstoneCount).isEmpty { return }
        try connection.transaction(.immediate) {
            // Another connection may have made them before this one got the lock.
            for statement in try missing(on: connection, tombstoneCount) {
                try connection.execute(statement)
            }
        }
    }

    /// The statements that complete the tables.
    private static func missing(
        on connection: Connection, _ tombstoneCount: Int
    ) throws -> [String] {
        let found = try names(on: connection)
        var statements: [String] = []
        for (table, columns) in columns.sorted(by: { $0.key < $1.key }) {
            let tombstones =
                table == "ACHANGE" ? (0..<tombstoneCount).map { "\(tombstone($0)) BLOB" } : []
            let columns = columns + tombstones
            guard let known = found[table] else {
                let list = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + columns
                statements.append("CREATE TABLE \(table) (\(list.joined(separator: ", ")))")
                continue
            }
            for column in columns where !known.contains(column.prefix { $0 != " " }.uppercased()) {
                statements.append("ALTER TABLE \(table) ADD COLUMN \(column)")
            }
        }
        let names = Set(found.keys)
        for index in indexes where !names.contains(indexName(index).uppercased()) {
            statements.append("CREATE \(index)")
        }
        return statements
    }

    private static func indexName(_ index: String) -> Substring {
        let words = index.split(separator: " ")
        return words[words.firstIndex(of: "ON")! - 1]
    }

    /// The columns of the tables, and the indexes without columns, all in upper case.
    static func names(on connection: Connection) throws -> [String: Set<String>] {
        let statement = try connection.statement(
            """
            SELECT upper(m.name), upper(c.name) FROM sqlite_schema m \
            LEFT JOIN pragma_table_info(m.name) c ON m.type = 'table' \
            WHERE m.tbl_name IN ('ATRANSACTION', 'ATRANSACTIONSTRING', 'ACHANGE')
            """)
        defer { statement.reset() }
        var names: [String: Set<String>] = [:]
        while try statement.step() {
            let column = statement.value(at: 1)
            names[statement.value(at: 0).string, default: []]
                .formUnion(column.isNull ? [] : [column.string])
        }
        return names
    }
}
