/// Inserts rows of an entity with uniqueness constraints, many with each statement. SQLite settles
/// collisions itself, in the order of the rows (https://www.sqlite.org/lang_upsert.html).
struct RowUpserter: BatchRowWriter {
    private static let maximumStatementCount = 64

    private let entity: Entity
    private let statements: EntityStatements
    private let layout: StoreLayout
    private let rule: CollisionRule
    private let reportsKeys: Bool
    /// The key of the first row that is added. Rows with smaller keys were there before.
    private let firstNewKey: Int64
    private let recorder: HistoryRecorder?
    private let connection: Connection

    /// The pending rows.
    private var rows: [RowReference] = []

    /// The attributes that each pending row was given, and so the shape of their statement.
    private var given = PropertyMask()

    /// By the attributes given. A source may leave out others in each row, so the number is
    /// bounded.
    private var prepared: [PropertyMask: Statement] = [:]

    private var count = 0

    /// The rows that were inserted or updated, each once.
    private var keys: [EntityKey] = []
    private var seen: Set<EntityKey> = []

    init(
        _ entity: Entity, _ statements: EntityStatements, _ layout: StoreLayout,
        _ rule: CollisionRule, reportsKeys: Bool, firstNewKey: Int64,
        _ recorder: HistoryRecorder?, on connection: Connection
    ) throws {
        self.entity = entity
        self.statements = statements
        self.layout = layout
        self.rule = rule
        self.reportsKeys = reportsKeys
        self.firstNewKey = firstNewKey
        self.recorder = recorder
        self.connection = connection
    }

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ row: inout BatchInsertRow) throws {
        // Only an update depends on them.
        let given = rule == .update ? row.given : PropertyMask()
        let finished = try row.finish()
        if given != self.given {
            try finish()
            self.given = given
        }
        rows.append(finished)
        if rows.count == RowInserter.rowsPerStatement { try finish() }
    }

    mutating func finish() throws {
        guard !rows.isEmpty else { return }
        do {
            try write(rows[...])
        } catch let error as SQLiteError where error.isUniqueness {
            // The statement changed nothing. One by one, the rows show which of them collides.
            for row in rows {
                do {
                    try write([row])
                } catch let error as SQLiteError where error.isUniqueness {
                    throw conflict(of: row, error)
                }
            }
        }
        rows.removeAll(keepingCapacity: true)
    }

    var outcome: BatchOutcome {
        BatchOutcome(
            count: count, inserted: keys.filter { $0.key >= firstNewKey },
            updated: keys.filter { $0.key < firstNewKey })
    }

    private mutating func write(_ rows: ArraySlice<RowReference>) throws {
        let statement = try statement()
        var returned: [(number: Int64, key: Int64)] = []
        try run(statement, rows) {
            returned.append((statement.value(at: 1).integer, statement.value(at: 0).integer))
        }
        let changeCount = connection.changes
        if rule == .update, changeCount < rows.count { throw try foreignCollision(rows) }
        count += changeCount
        for row in returned {
            let key = try EntityKey(number: row.number, key: row.key, of: entity)
            let isFirst = seen.insert(key).inserted
            if reportsKeys, isFirst { keys.append(key) }
            if key.key < firstNewKey {
                try recorder?.update(
                    layout.model.entities[key.entityIndex], key: key.key, given)
            } else if isFirst {
                try recorder?.insert(entity, key: key.key)
            }
        }
    }

    private func run(
        _ statement: Statement, _ rows: ArraySlice<RowReference>,
        forEachRow body: () -> Void
    ) throws(SQLiteError) {
        let outcome: Result<Void, SQLiteError> = rows.map(\.start).withUnsafeBufferPointer {
            starts in
            Result { () throws(SQLiteError) in
                try statement.run(from: starts, entity.layout, forEachRow: body)
            }
        }
        try outcome.get()
    }

    // MARK: - Statements

    private mutating func statement() throws -> Statement {
        if let known = prepared[given] { return known }
        var sql = statements.insert
        if rule != .fail {
            // The condition tells SQLite that ON belongs to no join.
            sql += " WHERE true"
            for columns in constraints.map(columns) {
                sql += " ON CONFLICT (\(columns.joined(separator: ", "))) DO "
                sql += rule == .skip ? "NOTHING" : update(without: columns)
            }
        }
        if reportsKeys || recorder != nil {
            let number = layout.modelNumber("Z_ENT", entity.familyIndexes)
            sql += " RETURNING Z_PK, \(number)"
        }
        let statement = try connection.statement(sql)
        if prepared.count == Self.maximumStatementCount { prepared = [:] }
        prepared[given] = statement
        return statement
    }

    /// The constraints as properties, each once: a subentity may repeat one.
    private var constraints: [[Property]] {
        Set(entity.uniquenessConstraints).sorted { $0.lexicographicallyPrecedes($1) }.map {
            $0.map { entity.property(named: $0)! }
        }
    }

    private func columns(_ constraint: [Property]) -> [String] {
        constraint.map { layout.column($0.slot!, of: entity) }
    }

    /// The update of the other row, whose values in the columns are the same. A row of another
    /// entity stays as it is, since it lacks some of the attributes.
    private func update(without columns: [String]) -> String {
        // Rows of other writers may have no version. They count as version 0 (spec §5.2).
        var assignments = ["Z_OPT = IFNULL(Z_OPT, 0) + 1"]
        given.forEach { index in
            let column = layout.column(entity.properties[index].slot!, of: entity)
            if !columns.contains(column) { assignments.append("\(column) = excluded.\(column)") }
        }
        return "UPDATE SET " + assignments.joined(separator: ", ")
            + (isAloneInTable ? "" : " WHERE Z_ENT IN (\(familyNumbers))")
    }

    /// Whether the entity or a descendant has every row of the table.
    private var isAloneInTable: Bool { entity.index == entity.rootIndex }

    private var familyNumbers: String {
        layout.numbers(of: entity.familyIndexes).map(String.init).joined(separator: ", ")
    }

    // MARK: - Errors

    /// The error for a row that violates a unique index; SQLite's own error if the index is none of
    /// the model's.
    private func conflict(of row: RowReference, _ error: SQLiteError) -> any Error {
        let violated = Set(error.constraintColumns)
        let constraint = constraints.first { Set(columns($0)) == violated }
        return constraint.map { conflict(of: row, $0) } ?? error
    }

    private func conflict(of row: RowReference, _ constraint: [Property]) -> any Error {
        StoreError(
            .valuesTaken(
                entity: entity.name, constraint: constraint.map(\.name),
                values: constraint.map { (try? row.value(of: $0, in: entity.layout)) ?? .null }))
    }

    /// The error for the first of the rows that collides with a row of another entity, which the
    /// update has left out.
    private func foreignCollision(_ rows: ArraySlice<RowReference>) throws -> any Error {
        let pending = PendingRows.columns(slotCount: entity.layout.slotCount)
        for constraint in constraints {
            let equalities = constraint.map { property in
                let slot = property.slot!
                let value = layout.writing(pending.values[slot], slot, of: entity)
                return "t0.\(layout.column(slot, of: entity)) = \(value)"
            }
            let statement = try connection.statement(
                """
                SELECT \(pending.key) FROM \(PendingRows.tableName) \
                CROSS JOIN \(layout.table(of: entity)) t0 \
                ON \(equalities.joined(separator: " AND ")) \
                WHERE t0.Z_ENT NOT IN (\(familyNumbers))
                """)
            var keys: Set<Int64> = []
            try run(statement, rows) { keys.insert(statement.value(at: 0).integer) }
            if let row = rows.first(where: { keys.contains($0.key) }) {
                return conflict(of: row, constraint)
            }
        }
        return StoreError(.uniquenessViolated)
    }
}
