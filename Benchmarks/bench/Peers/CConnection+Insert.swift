extension CConnection {
    /// Inserts rows with the keys that follow the table's last one, in transactions of `saveSize` rows, and keeps
    /// `Z_MAX` right in each.
    ///
    /// - Parameters:
    ///   - columns: behind key, entity number and version.
    ///   - bind: binds a value for each of the columns, the first at index 2, behind the key.
    /// - Returns: The keys, in the order of the rows.
    @discardableResult
    @inline(__always)
    func insert<Row>(
        _ rows: [Row], entity: String, columns: [String], saveSize: Int,
        bind: (inout CStatement, Row) -> Void
    ) throws -> Range<Int64> {
        let bookkeeping = "FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'"
        let entityNumber = try integer("SELECT Z_ENT \(bookkeeping)")
        let firstKey = try integer("SELECT Z_MAX \(bookkeeping)") + 1
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        var insert = try prepare(
            """
            INSERT INTO Z\(entity.uppercased()) \
            (Z_PK, Z_ENT, Z_OPT, \(columns.joined(separator: ", "))) \
            VALUES (?, \(entityNumber), 1, \(marks))
            """)
        var keepLastKey = try prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        var key = firstKey
        for start in stride(from: 0, to: rows.count, by: saveSize) {
            try transaction {
                for index in start..<min(start + saveSize, rows.count) {
                    insert.bind(key, 1)
                    bind(&insert, rows[index])
                    try insert.run()
                    key += 1
                }
                keepLastKey.bind(key - 1, 1)
                keepLastKey.bind(entityNumber, 2)
                try keepLastKey.run()
            }
        }
        return firstKey..<key
    }
}
