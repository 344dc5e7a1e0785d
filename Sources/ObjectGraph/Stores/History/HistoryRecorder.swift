import Foundation

/// Records what one transaction of SQLite does, as one transaction of the history (spec §10.4).
///
/// Changes are rows in memory until 64 are inserted with one statement, as `RowInserter` does. A
/// transaction without changes leaves nothing.
final class HistoryRecorder {
    let history: StoreHistory
    private let origin: ChangeOrigin
    private let connection: Connection

    /// The numbers before this transaction; nil until something is recorded.
    private var last: Numbers?
    private var changeCount: Int64 = 0

    /// Whether only deletions were recorded, of rows that may have been gone.
    private var mayBeEmpty = true

    private var writer = RowWriter(expectedByteCount: 1024)
    private var inserter: RowInserter?

    /// The bitmap of the last update, since the next one often has the same.
    private var lastUpdate: (entityIndex: Int, properties: PropertyMask, bitmap: [UInt8])?

    private struct Numbers {
        let change, transaction, text: Int64
    }

    /// What a transaction has left: its number, and the names that are new in the store.
    struct Record {
        let number: Int64
        let newNames: [String]
    }

    init(of history: StoreHistory, from origin: ChangeOrigin, on connection: Connection) {
        self.history = history
        self.origin = origin
        self.connection = connection
    }

    // MARK: - Changes

    func insert(_ entity: Entity, key: Int64) throws {
        try add(.insert, entity, key, bitmap: nil)
    }

    func update(_ entity: Entity, key: Int64, _ properties: PropertyMask) throws {
        if lastUpdate?.entityIndex != entity.index || lastUpdate?.properties != properties {
            let bitmap = history.entities[entity.index].bitmap(of: properties)
            lastUpdate = (entity.index, properties, bitmap)
        }
        try add(.update, entity, key, bitmap: lastUpdate!.bitmap)
    }

    /// Records the deletion of rows, which must still be there: their preserved values are read in
    /// the statement that records them. Rows that are gone are left out.
    func delete(_ entity: Entity, keys: some Sequence<Int64>) throws {
        let first = try begin().change + 1
        let statement = try connection.statement(deletion(of: entity))
        statement.bind(try begin().transaction + 1, at: 1)
        var rows = RowWriter(expectedByteCount: 1024)
        var inserter = RowInserter(Self.layout, statement)
        for key in keys {
            if inserter.isEmpty { rows.rewind() }
            rows.begin(Self.layout.extent, key: key, version: 0, entityNumber: 0)
            rows.set(0, integer: first + changeCount)
            changeCount += 1
            try inserter.add(rows.finish(), position: 0)
        }
        try finish(&inserter)
    }

    private func add(
        _ type: PersistentHistoryChange.ChangeType, _ entity: Entity, _ key: Int64,
        bitmap: [UInt8]?
    ) throws {
        let last = try begin()
        if inserter == nil {
            let statement = try connection.statement(Self.insertion)
            statement.bind(last.transaction + 1, at: 1)
            inserter = RowInserter(Self.layout, statement)
            mayBeEmpty = false
        }
        changeCount += 1
        if inserter!.isEmpty { writer.rewind() }
        writer.begin(
            Self.layout.extent, key: last.change + changeCount, version: 0, entityNumber: 0)
        writer.set(0, integer: Int64(type.rawValue))
        writer.set(1, integer: history.layout.number(of: entity))
        writer.set(2, integer: key)
        if let bitmap { bitmap.withUnsafeBytes { writer.set(3, bytes: $0) } }
        try inserter!.add(writer.finish(), position: 0)
    }

    /// The form of a change in memory: type, number of the entity, key and bitmap. The key of such
    /// a row is that of the change.
    static let layout = RowLayout(slotKinds: [.integer, .integer, .integer, .blob])

    private static let insertion = """
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) \
        SELECT key, \(HistoryTables.change), value0, value1, value2, ?1, value3 \
        FROM \(PendingRows.tableName)
        """

    /// Here the rows in memory have the keys of the deleted rows, and the keys of their changes.
    private func deletion(of entity: Entity) -> String {
        var columns = "Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"
        var values = "p.value0, \(HistoryTables.change), 2, t0.Z_ENT, t0.Z_PK, ?1"
        for (slot, tombstone) in history.entities[entity.index].tombstones.enumerated() {
            guard let column = tombstone.column else { continue }
            columns += ", \(HistoryTables.tombstone(slot))"
            values += ", t0.\(column)"
        }
        return """
            INSERT INTO ACHANGE (\(columns)) SELECT \(values) FROM \(PendingRows.tableName) p \
            CROSS JOIN \(history.layout.table(of: entity)) t0 ON t0.Z_PK = p.key
            """
    }

    private func finish(_ inserter: inout RowInserter) throws {
        try inserter.finish()
        if let collision = inserter.collisions.first { throw collision.error }
    }

    // MARK: - The transaction

    /// Writes what is pending, and the row of the transaction.
    ///
    /// - Returns: Nil if nothing has changed. After the commit, pass the names to `noteInterned`.
    func finish() throws -> Record? {
        guard let last, changeCount > 0 else { return nil }
        if inserter != nil { try finish(&inserter!) }
        let number = last.transaction + 1
        if mayBeEmpty, try !hasChanges(number) { return nil }
        let names = [
            origin.author, ChangeOrigin.bundleIdentifier, origin.contextName,
            ChangeOrigin.processName,
        ]
        let (newNames, lastText) = try intern(Set(names.compactMap(\.self)), after: last.text)
        let statement = try connection.statement(
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \
            ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS) \
            VALUES (?, \(HistoryTables.transaction), ?, \
            \((0..<4).map { _ in "(SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?)" }
                .joined(separator: ", ")))
            """)
        statement.bind(number, at: 1)
        statement.bind(Date().timeIntervalSinceReferenceDate, at: 2)
        for (index, name) in names.enumerated() {
            if let name { statement.bind(name, at: Int32(index) + 3) }
        }
        try statement.run()
        try note(Numbers(change: last.change + changeCount, transaction: number, text: lastText))
        return Record(number: number, newNames: newNames)
    }

    private func hasChanges(_ number: Int64) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONID = ?")
        statement.bind(number, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Inserts names that the store lacks.
    ///
    /// - Returns: The names that this process did not know to be there, and the last number.
    private func intern(
        _ names: Set<String>, after last: Int64
    ) throws -> (names: [String], last: Int64) {
        var last = last
        let unknown = names.filter { !history.isInterned($0) }.sorted()
        for name in unknown {
            let statement = try connection.statement(
                "INSERT OR IGNORE INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) SELECT ?, \(HistoryTables.text), ?2 WHERE NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING WHERE ZNAME = ?2)"
            )
            statement.bind(last + 1, at: 1)
            statement.bind(name, at: 2)
            try statement.run()
            last += Int64(connection.changes)
        }
        return (unknown, last)
    }

    /// Reads the numbers before this transaction. The write lock keeps them.
    private func begin() throws -> Numbers {
        if let last { return last }
        func greatest(_ entity: Int64, _ table: String) -> String {
            """
            max(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)), 0), \
            IFNULL((SELECT max(Z_PK) FROM \(table)), 0))
            """
        }
        let statement = try connection.statement(
            """
            SELECT \(greatest(HistoryTables.change, "ACHANGE")), \
            \(greatest(HistoryTables.transaction, "ATRANSACTION")), \
            \(greatest(HistoryTables.text, "ATRANSACTIONSTRING"))
            """)
        defer { statement.reset() }
        _ = try statement.step()
        let numbers = (0..<3).map { statement.value(at: $0).integer }
        guard numbers.allSatisfy({ $0 < .max / 2 }) else {
            throw StoreError(.damagedValue("Z_PRIMARYKEY.Z_MAX of the history is \(numbers)"))
        }
        last = Numbers(change: numbers[0], transaction: numbers[1], text: numbers[2])
        return last!
    }

    /// Core Data makes these rows with the first change.
    private func note(_ numbers: Numbers) throws {
        let statement = try connection.statement(
            """
            INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES \
            (\(HistoryTables.change), 'CHANGE', 0, ?), \
            (\(HistoryTables.transaction), 'TRANSACTION', 0, ?), \
            (\(HistoryTables.text), 'TRANSACTIONSTRING', 0, ?) \
            ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = excluded.Z_MAX
            """)
        statement.bind(numbers.change, at: 1)
        statement.bind(numbers.transaction, at: 2)
        statement.bind(numbers.text, at: 3)
        try statement.run()
    }
}
