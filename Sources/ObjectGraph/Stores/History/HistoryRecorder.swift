import Foundation

/// Records what one transaction of SQLite does, as one transaction of the history (spec §10.4).
///
/// Changes of one kind wait for each other, and 256 are inserted with one statement. A transaction
/// without changes leaves nothing.
final class HistoryRecorder: ChangeRecorder {
    private static let changesPerStatement = 256

    let history: StoreHistory
    private let origin: ChangeOrigin
    private let connection: Connection

    /// The numbers before this transaction; nil until something is recorded.
    private var last: Numbers?
    private var changeCount: Int64 = 0

    /// Whether only deletions were recorded, of rows that may have been gone.
    private var mayBeEmpty = true

    /// The keys of the objects that wait, by kind, and the index of each kind.
    private var waiting: [(kind: Kind, keys: [Int64])] = []
    private var indexes: [Kind: Int] = [:]

    /// An entity, and how its objects changed.
    private struct Kind: Hashable {
        /// The position of the entity in the model.
        let entity: Int

        /// Nil for an insertion.
        let updated: PropertyMask?
    }

    private struct Numbers {
        let change, transaction, text: Int64
    }

    /// The result of a transaction: its number, and the names that are new in the store.
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
        try add(Kind(entity: entity.index, updated: nil), key)
    }

    func update(_ entity: Entity, key: Int64, _ properties: PropertyMask) throws {
        try add(Kind(entity: entity.index, updated: properties), key)
    }

    /// Records the deletion of rows, which must still be there: their preserved values are read in
    /// the statement that records them. Rows that are gone are left out.
    func delete(_ entity: Entity, keys: some Sequence<Int64>) throws {
        let statement = try connection.statement(deletion(of: entity))
        statement.bind(try begin().transaction + 1, at: 2)
        var rest = Array(keys)[...]
        while !rest.isEmpty {
            try insert(rest.prefix(Self.changesPerStatement), with: statement)
            rest = rest.dropFirst(Self.changesPerStatement)
        }
    }

    private func add(_ kind: Kind, _ key: Int64) throws {
        var index = waiting.count - 1
        if index < 0 || waiting[index].kind != kind {
            index = indexes[kind] ?? waiting.count
            if index == waiting.count {
                waiting.append((kind, []))
                indexes[kind] = index
            }
        }
        waiting[index].keys.append(key)
        if waiting[index].keys.count == Self.changesPerStatement { try insertWaiting(at: index) }
    }

    private func insertWaiting(at index: Int) throws {
        let (kind, keys) = waiting[index]
        guard !keys.isEmpty else { return }
        mayBeEmpty = false
        let statement = try connection.statement(Self.insertion)
        let entity = history.entities[kind.entity]
        statement.bind(try begin().transaction + 1, at: 2)
        statement.bind(history.layout.number(of: entity.entity), at: 3)
        let type: PersistentHistoryChange.ChangeType = kind.updated == nil ? .insert : .update
        statement.bind(Int64(type.rawValue), at: 4)
        if let updated = kind.updated { statement.bind(blob: entity.bitmap(of: updated), at: 5) }
        try insert(keys[...], with: statement)
        waiting[index].keys.removeAll(keepingCapacity: true)
    }

    /// Runs a statement that selects from `PendingRows`. The keys stand for rows without values.
    private func insert(_ keys: ArraySlice<Int64>, with statement: Statement) throws {
        statement.bind(try begin().change + changeCount + 1, at: 1)
        let outcome: Result<Void, SQLiteError> = keys.withUnsafeBufferPointer { keys in
            let starts = keys.indices.map { UnsafeRawPointer(keys.baseAddress! + $0) }
            return starts.withUnsafeBufferPointer { starts in
                Result { () throws(SQLiteError) in try statement.run(from: starts, Self.layout) }
            }
        }
        try outcome.get()
        changeCount += Int64(keys.count)
    }

    private static let layout = RowLayout(slotKinds: [])

    private static let insertion = """
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) \
        SELECT ?1 + rowid, \(HistoryTables.change), ?4, ?3, key, ?2, ?5 \
        FROM \(PendingRows.tableName)
        """

    private func deletion(of entity: Entity) -> String {
        var columns = "Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID"
        var values = "?1 + p.rowid, \(HistoryTables.change), 2, t0.Z_ENT, t0.Z_PK, ?2"
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

    // MARK: - The transaction

    /// Writes what is pending, and the row of the transaction.
    ///
    /// - Returns: Nil if nothing has changed. After the commit, pass the names to `noteInterned`.
    func finish() throws -> Record? {
        for index in waiting.indices { try insertWaiting(at: index) }
        guard let last, changeCount > 0 else { return nil }
        let number = last.transaction + 1
        if mayBeEmpty, try !hasChanges(number) { return nil }
        let names = [
            origin.author, ChangeOrigin.bundleIdentifier, origin.contextName,
            ChangeOrigin.processName,
        ]
        let (newNames, lastText) = try intern(names.compactMap(\.self), after: last.text)
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
        _ names: [String], after last: Int64
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
