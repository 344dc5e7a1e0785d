/// Inserts rows of an entity with the keys after its last one, several rows with a statement, and
/// updates `Z_MAX` in each transaction. Its statements are prepared once.
struct CInserter: ~Copyable {
    private let connection: CConnection
    private let rowsPerStatement: Int
    private let parametersPerRow: Int32
    private let entityNumber: Int64
    private var insertOne: CStatement
    private var insertMany: CStatement
    private var lastKey: CStatement
    private var keepLastKey: CStatement

    /// - Parameters:
    ///   - columns: the columns after key, entity number and version.
    ///   - conflictClause: what to do with a row whose values another row has.
    init(
        _ entity: String, columns: [String], conflictClause: String = "",
        on connection: CConnection
    ) throws {
        let rowsPerStatement = connection.variant.rowsPerStatement
        let entityNumber = try connection.integer(
            "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'")
        let row = "(?, \(entityNumber), 1\(String(repeating: ", ?", count: columns.count)))"
        let insertion =
            "INSERT INTO Z\(entity.uppercased()) (Z_PK, Z_ENT, Z_OPT, "
            + "\(columns.joined(separator: ", "))) VALUES "
        let insertOne = try connection.prepare(insertion + row + conflictClause)
        let insertMany = try connection.prepare(
            insertion + Array(repeating: row, count: rowsPerStatement).joined(separator: ", ")
                + conflictClause, textBytes: rowsPerStatement * 1024)
        let lastKey = try connection.prepare("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
        let keepLastKey = try connection.prepare(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        // Only now: a value that cannot be copied is initialized as a whole.
        self.connection = connection
        self.rowsPerStatement = rowsPerStatement
        self.entityNumber = entityNumber
        parametersPerRow = Int32(columns.count + 1)
        self.insertOne = insertOne
        self.insertMany = insertMany
        self.lastKey = lastKey
        self.keepLastKey = keepLastKey
    }

    /// Inserts rows, `saveSize` of them per transaction.
    ///
    /// - Parameter bind: binds a value for each of the columns, the first at index 2, after the key.
    /// - Returns: The keys, in the order of the rows.
    @discardableResult
    @inline(__always)
    mutating func insert<Row>(
        _ rows: [Row], saveSize: Int, bind: (inout CStatement, Row) -> Void
    ) throws -> Range<Int64> {
        let firstKey = try readLastKey() + 1
        try rows.withUnsafeBufferPointer { rows in
            for start in stride(from: 0, to: rows.count, by: saveSize) {
                let end = min(start + saveSize, rows.count)
                try connection.transaction {
                    var index = start
                    while index + rowsPerStatement <= end {
                        for row in 0..<rowsPerStatement {
                            insertMany.parameterOffset = Int32(row) * parametersPerRow
                            insertMany.bind(firstKey + Int64(index), 1)
                            bind(&insertMany, rows[index])
                            index += 1
                        }
                        try insertMany.run()
                    }
                    while index < end {
                        insertOne.bind(firstKey + Int64(index), 1)
                        bind(&insertOne, rows[index])
                        try insertOne.run()
                        index += 1
                    }
                    keepLastKey.bind(firstKey + Int64(end) - 1, 1)
                    keepLastKey.bind(entityNumber, 2)
                    try keepLastKey.run()
                }
            }
        }
        return firstKey..<firstKey + Int64(rows.count)
    }

    private mutating func readLastKey() throws -> Int64 {
        lastKey.bind(entityNumber, 1)
        guard try lastKey.step() else { return 0 }
        let key = lastKey.integer(0)
        try lastKey.reset()
        return key
    }
}

extension CConnection {
    /// Inserts rows with an inserter of their own.
    @discardableResult
    @inline(__always)
    func insert<Row>(
        _ rows: [Row], entity: String, columns: [String], saveSize: Int,
        conflictClause: String = "", bind: (inout CStatement, Row) -> Void
    ) throws -> Range<Int64> {
        var inserter = try CInserter(
            entity, columns: columns, conflictClause: conflictClause, on: self)
        return try inserter.insert(rows, saveSize: saveSize, bind: bind)
    }
}
