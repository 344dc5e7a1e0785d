#if PostgreSQL
import ObjectGraph

/// Inserts rows of an entity with uniqueness constraints, many with each statement. PostgreSQL
/// settles collisions itself (https://www.postgresql.org/docs/current/sql-insert.html).
///
/// One statement cannot change a row twice, so rows that share values go to different statements.
struct BatchUpserter {
    private static let rowsPerStatement = 1024

    private let entity: Entity
    private let layout: StoreLayout
    private let rule: CollisionRule
    private let reportsKeys: Bool
    private let recorder: HistoryRecorder?
    private let transaction: WriteTransaction
    private let constraints: [[Property]]
    private let sql: BatchUpsertSQL

    /// The pending rows.
    private var rows: [RowReference] = []

    /// The attributes that each pending row was given, and so the shape of their statement.
    private var given = PropertyMask()

    /// The constrained values of the pending rows.
    private var values: Set<[UInt8]> = []

    /// The rows that were inserted or updated, each once.
    private(set) var outcome = BatchOutcome(count: 0)
    private var seen: Set<EntityKey> = []

    init(
        _ entity: Entity, _ layout: StoreLayout, _ rule: CollisionRule, reportsKeys: Bool,
        _ recorder: HistoryRecorder?, _ transaction: WriteTransaction
    ) {
        self.entity = entity
        self.layout = layout
        self.rule = rule
        self.reportsKeys = reportsKeys
        self.recorder = recorder
        self.transaction = transaction
        // A subentity may repeat one.
        constraints = Set(entity.uniquenessConstraints).sorted {
            $0.lexicographicallyPrecedes($1)
        }.map { $0.map { entity.property(at: $0)! } }
        sql = BatchUpsertSQL(
            entity: entity, layout: layout,
            constraints: constraints.map { $0.map { $0.slot! } })
    }

    mutating func write(_ source: UpsertSource, _ keys: inout BatchKeys) throws {
        while let chunk = try source.next(&keys) {
            // Of several constraints, the order of rows that share values of the second one counts.
            let isSorted = rule != .fail && constraints.count == 1
            for row in isSorted ? sorted(chunk, by: \.row) : chunk { try add(row, keys) }
        }
        try writePending(keys)
    }

    private mutating func add(_ new: UpsertSource.Row, _ keys: BatchKeys) throws {
        // Only an update depends on them.
        let given = rule == .update ? new.given : PropertyMask()
        let own = rule == .update ? values(of: new.row) : []
        if given != self.given || !values.isDisjoint(with: own)
            || rows.count == Self.rowsPerStatement
        {
            try writePending(keys)
            self.given = given
        }
        values.formUnion(own)
        rows.append(new.row)
    }

    /// The values of each constraint, without those that have a null.
    private func values(of row: RowReference) -> [[UInt8]] {
        constraints.enumerated().compactMap { index, constraint in
            let slots = constraint.map { $0.slot! }
            guard slots.allSatisfy(row.hasValue) else { return nil }
            return [UInt8(truncatingIfNeeded: index)] + row.bytes(of: slots, in: entity.layout)
        }
    }

    private mutating func writePending(_ keys: BatchKeys) throws {
        guard !rows.isEmpty else { return }
        if rule != .fail { rows = sorted(rows, by: \.self) }
        // With several constraints, two rows may collide with one: they follow each other.
        let count = rule == .update && constraints.count > 1 ? 1 : rows.count
        let statement = sql.statement(rule, given)
        var commands = [Command("SAVEPOINT upsert")]
        for start in stride(from: 0, to: rows.count, by: count) {
            commands.append(Command(statement, try sql.parameters(rows[start..<start + count])))
        }
        commands.append(Command("RELEASE upsert"))
        do {
            let results = try transaction.run(commands).dropFirst().dropLast()
            let changeCount = results.reduce(0) { $0 + $1.count }
            if rule == .update, changeCount < rows.count {
                throw try conflict(besides: entity.familyIndexes)
            }
            outcome.count += changeCount
            if reportsKeys || recorder != nil {
                for result in results { try report(result, keys) }
            }
        } catch let error as PostgreSQLError where error.isUniqueViolation {
            _ = try transaction.run(Command("ROLLBACK TO upsert"))
            throw rule == .fail ? try conflict(besides: nil) : StoreError(.uniquenessViolated)
        }
        rows.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// Sorts rows by the values of the first constraint, so that others who insert the same ones wait
    /// and meet no deadlock. Rows with equal values keep their order.
    private func sorted<T>(_ rows: [T], by row: (T) -> RowReference) -> [T] {
        let slots = constraints[0].map { $0.slot! }
        // Rows with a null collide with none.
        let keys = rows.map {
            let row = row($0)
            return slots.allSatisfy(row.hasValue) ? row.bytes(of: slots, in: entity.layout) : []
        }
        return rows.indices.sorted {
            keys[$0] == keys[$1] ? $0 < $1 : keys[$0].lexicographicallyPrecedes(keys[$1])
        }.map { rows[$0] }
    }

    private mutating func report(_ result: Rows, _ keys: BatchKeys) throws {
        for row in 0..<result.count {
            let key = try EntityKey(
                number: try result.integer(row, 1), key: try result.integer(row, 0), of: entity)
            let isFirst = seen.insert(key).inserted
            if !keys.contains(key.key) {
                try recorder?.update(layout.model.entities[key.entityIndex], key: key.key, given)
                if reportsKeys, isFirst { outcome.updated.append(key) }
            } else if isFirst {
                try recorder?.insert(entity, key: key.key)
                if reportsKeys { outcome.inserted.append(key) }
            }
        }
    }

    // MARK: - Errors

    /// The error for the first of the pending rows that collides, with a stored row or with one
    /// before it.
    ///
    /// - Parameter family: The entities that do not count; nil if all count.
    private func conflict(besides family: ClosedRange<Int>?) throws -> StoreError {
        var first: (position: Int, constraint: [Property])?
        for constraint in constraints {
            let slots = constraint.map { $0.slot! }
            let stored = try transaction.run(sql.collisions(of: rows, slots, besides: family))
            var positions = try (0..<stored.count).map { Int(try stored.integer($0, 0)) }
            if family == nil { positions += duplicates(slots) }
            if let position = positions.min(), position < first?.position ?? .max {
                first = (position, constraint)
            }
        }
        guard let first else { return StoreError(.uniquenessViolated) }
        let row = rows[first.position]
        return StoreError(
            .valuesTaken(
                entity: entity.name, constraint: first.constraint.map(\.name),
                values: first.constraint.map {
                    (try? row.value(of: $0, in: entity.layout)) ?? .null
                }))
    }

    /// The positions of pending rows that have the values of one before them.
    private func duplicates(_ slots: [Int]) -> [Int] {
        var known: Set<[UInt8]> = []
        return rows.indices.filter { position in
            slots.allSatisfy(rows[position].hasValue)
                && !known.insert(rows[position].bytes(of: slots, in: entity.layout)).inserted
        }
    }
}

/// The SQL of a `BatchUpserter`.
struct BatchUpsertSQL {
    let entity: Entity
    let layout: StoreLayout

    /// The slots of each constraint.
    let constraints: [[Int]]

    private var columns: [StoredColumn] { layout.attributeColumns(of: entity) }

    func parameters(_ rows: ArraySlice<RowReference>) throws(StoreError) -> [Parameter] {
        var columns = RowColumns(columns, of: entity, capacity: rows.count)
        for row in rows { try columns.append(row, entity) }
        return [.column(ParameterColumn(rows.map(\.key)))] + columns.parameters
    }

    /// A statement that returns the key and the entity of each row that it has written.
    ///
    /// - Parameter given: The attributes that a stored row takes.
    func statement(_ rule: CollisionRule, _ given: PropertyMask) -> String {
        let source = RowColumns.source(["key"], columns, of: entity)
        switch rule {
        case .fail: return "\(insertion) FROM \(source) RETURNING \(result("t0"))"
        case .skip:
            return "\(insertion) FROM \(source) ON CONFLICT DO NOTHING RETURNING \(result("t0"))"
        case .update:
            if constraints.count > 1 { return severalWays(given) }
            let constraint = constraints[0].map { layout.column($0, of: entity) }
            let columns = given.columns(entity, layout).filter { !constraint.contains($0) }
            let assignments = columns.map { ", \($0) = excluded.\($0)" }.joined()
            return """
                \(insertion) FROM \(source) ON CONFLICT (\(constraint.joined(separator: ", "))) \
                DO UPDATE SET \(Self.version)\(assignments)\(isOfFamily.map { " WHERE \($0)" } ?? "") \
                RETURNING \(result("t0"))
                """
        }
    }

    /// Updates the rows that have the values of one of the constraints, and inserts the others.
    private func severalWays(_ given: PropertyMask) -> String {
        let changed = given.columns(entity, layout)
        let columns = columns
        let assignments = columns.enumerated().filter { changed.contains($1.name) }.map {
            ", \($1.name) = v.c\($0)"
        }
        let isSame = constraints.map { constraint in
            let equalities = layout.ownColumns(constraint, of: entity).map { column in
                "t0.\(column.name) = v.c\(columns.firstIndex(of: column)!)"
            }
            return "(\(equalities.joined(separator: " AND ")))"
        }
        let family = isOfFamily.map { " AND \($0)" } ?? ""
        return """
            WITH v AS (SELECT * FROM \(RowColumns.source(["key"], columns, of: entity))), \
            changed AS (\
            UPDATE \(layout.table(of: entity)) AS t0 SET \(Self.version)\(assignments.joined()) \
            FROM v WHERE (\(isSame.joined(separator: " OR ")))\(family) \
            RETURNING v.key AS source, \(result("t0"))), \
            added AS (\
            \(insertion) FROM v WHERE NOT EXISTS (SELECT 1 FROM changed WHERE source = v.key) \
            RETURNING \(result("t0"))) \
            SELECT changed.key, changed.number FROM changed \
            UNION ALL SELECT added.key, added.number FROM added
            """
    }

    /// Selects the positions of rows whose values a stored row has.
    ///
    /// - Parameter family: Which entities' rows do not count; nil if all count.
    func collisions(
        of rows: [RowReference], _ constraint: [Int], besides family: ClosedRange<Int>?
    ) throws(StoreError) -> Command {
        let stored = layout.ownColumns(constraint, of: entity)
        var columns = RowColumns(stored, of: entity, capacity: rows.count)
        for row in rows { try columns.append(row, entity) }
        let equalities = stored.enumerated().map { "t0.\($1.name) = v.c\($0)" }
        let others = family.map { " WHERE t0.Z_ENT NOT IN (\(numbers($0)))" } ?? ""
        return Command(
            """
            SELECT v.position FROM \(RowColumns.source(["position"], stored, of: entity)) \
            JOIN \(layout.table(of: entity)) AS t0 ON \(equalities.joined(separator: " AND "))\(others)
            """,
            [.column(ParameterColumn(rows.indices.lazy.map { Int64($0) }))] + columns.parameters)
    }

    // Rows of other writers may have no version. They count as version 0 (spec §5.2).
    private static let version = "Z_OPT = coalesce(t0.Z_OPT, 0) + 1"

    /// An INSERT with its select list.
    private var insertion: String {
        let columns = columns
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
        let values =
            ["v.key", "\(layout.number(of: entity))", "1"] + columns.indices.map { "v.c\($0)" }
        return """
            INSERT INTO \(layout.table(of: entity)) AS t0 (\(names.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", "))
            """
    }

    private func result(_ table: String) -> String {
        let number = layout.modelNumber("\(table).Z_ENT", entity.familyIndexes)
        return "\(table).Z_PK AS key, \(number) AS number"
    }

    /// A row of another entity stays as it is, since it lacks some of the attributes. Nil if the
    /// entity or a descendant has every row of the table.
    private var isOfFamily: String? {
        entity.index == entity.rootIndex ? nil : "t0.Z_ENT IN (\(numbers(entity.familyIndexes)))"
    }

    private func numbers(_ family: ClosedRange<Int>) -> String {
        layout.numbers(of: family).map(String.init).joined(separator: ", ")
    }
}

extension StoreLayout {
    /// The columns that a batch insert writes: only attributes can be set.
    func attributeColumns(of entity: Entity) -> [StoredColumn] {
        writtenColumns(
            entity.properties.filter { $0.attributeType != nil }.compactMap(\.slot), of: entity)
    }
}

extension PropertyMask {
    /// The columns of the properties.
    fileprivate func columns(_ entity: Entity, _ layout: StoreLayout) -> [String] {
        var slots: [Int] = []
        forEach { slots.append(entity.properties[$0].slot!) }
        return layout.writtenColumns(slots, of: entity).map(\.name)
    }
}
#endif
