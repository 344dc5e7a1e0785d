extension SQLiteStore {
    func save(
        _ plan: SavePlan, from origin: ChangeOrigin, beforeCommit: (() throws -> Void)?
    ) throws -> Int64? {
        let insertionCount = plan.rows.count { $0.kind == .insert } + plan.joins.count
        let (metadata, number) = try writeTransaction(
            from: origin,
            temporaryStore: insertionCount > RowInserter.rowsPerStatement ? .memory : nil
        ) { connection, recorder in
            try recorder?.recordDeletions(of: plan)
            var writer = PlanWriter(plan: plan, connection: connection, store: self)
            try writer.run()
            try recorder?.recordRows(of: plan)
            return try writeMetadata(on: connection)
        } beforeCommit: {
            try beforeCommit?()
        }
        if let metadata { metadataState.noteWritten(metadata) }
        return number
    }

    /// Runs the body in one transaction of SQLite, which is one of the history.
    ///
    /// - Parameters:
    ///   - temporaryStore: In memory if statements insert many rows each, in files if one may change
    ///     any number of rows, otherwise nil.
    ///   - body: Gets the connection, and what records its changes, if the store does that.
    /// - Returns: The result of the body, and the number of the transaction in the history; nil if
    ///   nothing was recorded.
    func writeTransaction<T>(
        from origin: ChangeOrigin, temporaryStore: TemporaryStore?,
        _ body: (Connection, HistoryRecorder?) throws -> T,
        beforeCommit: () throws -> Void = {}
    ) throws -> (result: T, number: Int64?) {
        func run(on connection: Connection) throws -> (T, HistoryRecorder.Record?) {
            var isCommitting = false
            do {
                let outcome = try connection.transaction(.immediate) {
                    let recorder = history?.recorder(from: origin, on: connection)
                    let result = try body(connection, recorder)
                    let record = try recorder?.finish()
                    try prepareFiles(on: connection)
                    try beforeCommit()
                    isCommitting = true
                    return (result, record)
                }
                externalFiles?.committed()
                return outcome
            } catch {
                // Without its lock SQLite has not begun to commit.
                let isBusy = (error as? SQLiteError)?.isBusy ?? false
                externalFiles?.rolledBack(mayHaveCommitted: isCommitting && !isBusy)
                throw error
            }
        }
        let (result, record) = try mapping {
            try write { connection in
                if let temporaryStore { connection.use(temporaryStore) }
                return try run(on: connection)
            }
        }
        if let record { history?.noteInterned(record.newNames) }
        return (result, record?.number)
    }

    private func prepareFiles(on connection: Connection) throws {
        guard let externalFiles else { return }
        let changes = try ExternalColumns.takeChanges(on: connection)
        do throws(FileFailure) { try externalFiles.prepareCommit(changes) } catch {
            throw StoreError(error.reason, url: url)
        }
    }
}

/// Writes a save plan inside a transaction (spec §5.1, step 7). The order: removed pairs, deletions
/// of rows whose values a constraint may need, insertions, updates, collided rows again, checks,
/// added pairs, orders, other deletions.
private struct PlanWriter {
    let plan: SavePlan
    let connection: Connection
    let store: SQLiteStore
    private var versionConflicts: [Int] = []
    private var uniquenessConflicts: [(position: Int, slots: [Int])] = []

    private var layout: StoreLayout { store.layout }

    init(plan: SavePlan, connection: Connection, store: SQLiteStore) {
        self.plan = plan
        self.connection = connection
        self.store = store
    }

    mutating func run() throws {
        let joins = JoinWriter(plan, layout, on: connection)
        try joins.remove()
        try delete { !$0.entity.uniquenessConstraints.isEmpty }
        try insert(plan.rows.indices)
        try update(plan.rows.indices)
        if !uniquenessConflicts.isEmpty, plan.rows.contains(where: { $0.kind == .update }) {
            try writeCollidingRows()
        }
        try check()
        try joins.add()
        try joins.writeOrders()
        try delete { $0.entity.uniquenessConstraints.isEmpty }
        if !versionConflicts.isEmpty { throw StoreConflict.versions(versionConflicts) }
        if !uniquenessConflicts.isEmpty { throw StoreConflict.uniqueness(uniquenessConflicts) }
    }

    private mutating func insert(_ positions: some Sequence<Int>) throws {
        var inserter: RowInserter?
        var entity: Entity?
        var isAgain = false
        for position in positions where plan.rows[position].kind == .insert {
            let start = plan.rows[position].row!.start
            if plan.rows[position].entity !== entity || isAgain != (start.rowVersion > 1) {
                try finish(inserter)
                entity = plan.rows[position].entity
                isAgain = start.rowVersion > 1
                let statements = store.statements[entity!.index]
                inserter = try RowInserter(
                    entity!, isAgain ? statements.insertAgain : statements.insert, on: connection)
            }
            try inserter!.add(start, position: position)
        }
        try finish(inserter)
    }

    private mutating func finish(_ inserter: RowInserter?) throws {
        guard var inserter else { return }
        try inserter.finish()
        for collision in inserter.collisions {
            try note(collision.error, at: collision.position)
        }
    }

    private mutating func update(_ positions: some Sequence<Int>) throws {
        var shape: UpdateShape?
        var statement: Statement!
        for position in positions where plan.rows[position].kind == .update {
            let change = plan.rows[position]
            let next = UpdateShape(entity: change.entity.index, changes: change.changes)
            if next != shape {
                shape = next
                statement = try connection.statement(updateStatement(change))
            }
            var index: Int32 = 1
            let layout = change.entity.layout
            change.forEachChangedSlot { slot in
                statement.bind(change.row!, slot, layout, at: index)
                index += 1
            }
            statement.bind(Int64(change.row!.version), at: index)
            statement.bind(change.key, at: index + 1)
            statement.bind(Int64(change.previousVersion), at: index + 2)
            if try run(statement, position), connection.changes == 0 {
                versionConflicts.append(position)
            }
        }
    }

    private struct UpdateShape: Equatable {
        let entity: Int
        let changes: PropertyMask
    }

    private func updateStatement(_ change: RowChange) -> String {
        var sql = "UPDATE \(layout.table(of: change.entity)) SET "
        change.forEachChangedSlot { slot in
            let value = layout.writing("?", slot, of: change.entity)
            sql += "\(layout.column(slot, of: change.entity)) = \(value), "
        }
        // Rows of other writers may have no version. They count as version 0 (spec §5.2).
        return sql + "Z_OPT = ? WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
    }

    /// Writes the collided rows again. SQLite checks a unique index with each row, so the values
    /// may be those of another row that the plan also changes, for example when two rows swap
    /// values.
    ///
    /// The updated rows first set their changed columns to null, since nulls never collide. A
    /// second collision is then with the final values of a row.
    private mutating func writeCollidingRows() throws {
        let positions = uniquenessConflicts.map(\.position)
        uniquenessConflicts = []
        for position in positions where plan.rows[position].kind == .update {
            let change = plan.rows[position]
            var columns: [String] = []
            change.forEachChangedSlot {
                columns.append("\(layout.column($0, of: change.entity)) = NULL")
            }
            let statement = try connection.statement(
                "UPDATE \(layout.table(of: change.entity)) SET \(columns.joined(separator: ", ")) WHERE Z_PK = ?"
            )
            statement.bind(change.key, at: 1)
            try statement.run()
        }
        try insert(positions)
        try update(positions)
    }

    private mutating func delete(where condition: (RowChange) -> Bool) throws {
        for (position, change) in plan.rows.enumerated()
        where change.kind == .delete && condition(change) {
            let statement = try connection.statement(store.statements[change.entity.index].delete)
            statement.bind(change.key, at: 1)
            statement.bind(Int64(change.previousVersion), at: 2)
            try statement.run()
            // A deletion of a row that is already gone succeeds (spec §5.3).
            if connection.changes == 0, try exists(change) { versionConflicts.append(position) }
        }
    }

    private mutating func check() throws {
        for (position, change) in plan.rows.enumerated() where change.kind == .check {
            let statement = try connection.statement(
                "SELECT 1 FROM \(layout.table(of: change.entity)) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
            )
            statement.bind(change.key, at: 1)
            statement.bind(Int64(change.previousVersion), at: 2)
            defer { statement.reset() }
            if try !statement.step() { versionConflicts.append(position) }
        }
    }

    private func exists(_ change: RowChange) throws -> Bool {
        let statement = try connection.statement(
            "SELECT 1 FROM \(layout.table(of: change.entity)) WHERE Z_PK = ?")
        statement.bind(change.key, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Runs a statement that may violate a unique index. A save collects all collisions before it
    /// fails.
    @discardableResult
    private mutating func run(_ statement: Statement, _ position: Int) throws -> Bool {
        do {
            try statement.run()
            return true
        } catch  where error.isUniqueness {
            try note(error, at: position)
            return false
        }
    }

    /// Notes a collision for the merge policy.
    ///
    /// An existing key counts as a version conflict: another context has inserted the row again,
    /// too.
    /// - Throws: The error, if it concerns something outside the model, such as an application's
    ///   own index.
    private mutating func note(_ error: SQLiteError, at position: Int) throws(SQLiteError) {
        if error.isKeyCollision { return versionConflicts.append(position) }
        let columns = error.constraintColumns
        let known = layout.columns(of: plan.rows[position].entity)
        let slots = columns.compactMap { known.firstIndex(of: $0) }
        guard !columns.isEmpty, slots.count == columns.count else { throw error }
        uniquenessConflicts.append((position, slots))
    }
}

extension RowChange {
    /// The slots of the changed properties, in ascending order.
    fileprivate func forEachChangedSlot(_ body: (Int) -> Void) {
        changes.forEach { index in
            let property = entity.properties[index]
            if let slot = property.slot { body(slot) }
            if let slot = property.entitySlot { body(slot) }
        }
    }
}
