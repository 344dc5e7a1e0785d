import GRDB

/// A prepared statement that inserts rows. For many rows it takes a third of the time of records, each
/// of which fills a container with its columns by name.
struct GRDBInsertion {
    private let sql: String

    /// - Parameter columns: the columns after key, entity number and version.
    init(entity: String, number: Int, columns: [String], conflictClause: String = "") {
        sql = """
            INSERT INTO Z\(entity.uppercased()) \
            (Z_PK, Z_ENT, Z_OPT, \(columns.joined(separator: ", "))) \
            VALUES (?, \(number), 1\(String(repeating: ", ?", count: columns.count)))\
            \(conflictClause)
            """
    }

    /// The function that inserts a row: the key, and a value for each column.
    func prepare(_ database: Database) throws -> (StatementArguments) throws -> Void {
        let statement = try database.cachedStatement(sql: sql)
        return { values in
            statement.setUncheckedArguments(values)
            try statement.execute()
        }
    }
}

extension DatabasePool {
    /// Inserts rows with the keys after the table's last one, `saveSize` rows per transaction, and
    /// updates `Z_MAX` in each transaction.
    ///
    /// - Parameter values: the key of a row, and a value for each column.
    /// - Returns: The keys, in the order of the rows.
    @discardableResult
    func insert<Row>(
        _ rows: [Row], entity: String, by insertion: GRDBInsertion, saveSize: Int,
        _ values: @escaping (Row, Int64) -> StatementArguments
    ) throws -> Range<Int64> {
        try inTransactions(rows, entity: entity, saveSize: saveSize) { database in
            let insert = try insertion.prepare(database)
            return { try insert(values($0, $1)) }
        }
    }

    /// Inserts a record for each row, in the same way.
    @discardableResult
    func insert<Row, Record: PersistableRecord>(
        _ rows: [Row], entity: String, saveSize: Int, _ record: @escaping (Row, Int64) -> Record
    ) throws -> Range<Int64> {
        try inTransactions(rows, entity: entity, saveSize: saveSize) { database in
            { try record($0, $1).insert(database) }
        }
    }

    /// - Parameter makeInsert: makes the function that inserts a row with its key, in each
    ///   transaction.
    private func inTransactions<Row>(
        _ rows: [Row], entity: String, saveSize: Int,
        _ makeInsert: (Database) throws -> (Row, Int64) throws -> Void
    ) throws -> Range<Int64> {
        let lastKey = try read {
            try Int64.fetchOne(
                $0, sql: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = ?", arguments: [entity])
        }
        let firstKey = (lastKey ?? 0) + 1
        var key = firstKey
        for start in stride(from: 0, to: rows.count, by: saveSize) {
            try write { database in
                let insert = try makeInsert(database)
                for row in rows[start..<min(start + saveSize, rows.count)] {
                    try insert(row, key)
                    key += 1
                }
                try database.execute(
                    sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = ?",
                    arguments: [key - 1, entity])
            }
        }
        return firstKey..<key
    }
}
