// Batch requests run as SQL, each in one transaction (spec §6).
extension SQLiteStore: BatchStore {
    func execute(
        _ request: BatchInsertRequest, entity: Entity, collisions: CollisionRule,
        resultType: BatchResultType, from origin: ChangeOrigin
    ) throws -> BatchOutcome {
        let root = model.entities[entity.rootIndex]
        let statements = statements[entity.index]
        return try recording(from: origin, temporaryStore: .memory) { connection, recorder in
            let first = try lastKey(of: root, on: connection) + 1
            guard entity.uniquenessConstraints.isEmpty else {
                var upserter = try RowUpserter(
                    entity, statements, layout, collisions,
                    reportsKeys: resultType == .objectIDs, firstNewKey: first, recorder,
                    on: connection)
                let last = try write(request, entity, from: first, to: &upserter)
                try setLastKey(last, of: root, on: connection)
                return upserter.outcome
            }
            var inserter = try RowInserter(entity, statements.insert, on: connection)
            let last = try write(request, entity, from: first, to: &inserter)
            if let collision = inserter.collisions.first { throw collision.error }
            try setLastKey(last, of: root, on: connection)
            if let recorder {
                for key in first..<last + 1 { try recorder.insert(entity, key: key) }
            }
            let keys = resultType == .objectIDs ? Array(first..<last + 1) : []
            return BatchOutcome(
                count: Int(last + 1 - first),
                inserted: keys.map { EntityKey(entityIndex: entity.index, key: $0) })
        }
    }

    /// Writes the rows of a request with consecutive keys.
    ///
    /// - Returns: The last key.
    private func write(
        _ request: BatchInsertRequest, _ entity: Entity, from first: Int64,
        to writer: inout some BatchRowWriter
    ) throws -> Int64 {
        let handler = try request.makeHandler(model, entity)
        var row = BatchInsertRow(entity)
        var next = first
        row.begin(key: next, isAlone: true)
        while try !handler(&row) {
            try writer.add(&row)
            next += 1
            row.begin(key: next, isAlone: writer.isEmpty)
        }
        try writer.finish()
        return next - 1
    }

    func execute(
        _ request: BatchUpdateRequest, entity: Entity, resultType: BatchResultType,
        from origin: ChangeOrigin
    ) throws -> BatchOutcome {
        let translation = try BatchUpdateTranslation(request, entity: entity, layout: layout)
        return try recording(from: origin, temporaryStore: .files) { connection, recorder in
            var keys: [EntityKey] = []
            if resultType == .objectIDs || recorder != nil {
                var matching = FetchRequest(
                    entityName: request.entityName, predicate: request.predicate)
                matching.includesSubentities = request.includesSubentities
                keys = try self.keys(matching, entity, on: connection)
            }
            if let recorder {
                var properties = PropertyMask()
                for (property, _) in try request.assignments(to: entity) {
                    properties.insert(property.index)
                }
                for key in keys {
                    try recorder.update(model.entities[key.entityIndex], key: key.key, properties)
                }
            }
            let statement = try connection.statement(translation.sql)
            statement.bind(translation.bindings)
            try statement.run()
            return BatchOutcome(
                count: connection.changes, updated: resultType == .objectIDs ? keys : [])
        }
    }

    func execute(
        _ request: BatchDeleteRequest, entity: Entity, resultType: BatchResultType,
        from origin: ChangeOrigin
    ) throws -> BatchOutcome {
        try recording(from: origin, temporaryStore: .files) { connection, recorder in
            let keys =
                try request.objectIDs.map { try self.keys($0, entity, on: connection) }
                ?? keys(request.fetchRequest, entity, on: connection)
            var deletion = CascadingDeletion(
                on: KeyListConnection(connection: connection), layout, hasTable: hasTable,
                recorder: recorder)
            try deletion.delete(keys)
            return BatchOutcome(
                count: keys.count, deleted: resultType == .objectIDs ? deletion.deletedKeys : [])
        }
    }

    private func keys(
        _ request: FetchRequest, _ entity: Entity, on connection: Connection
    ) throws -> [EntityKey] {
        let translation = try FetchTranslation(
            request, entity: entity, layout: layout, selection: .keys)
        let statement = try connection.statement(translation.sql)
        statement.bind(translation.bindings)
        return try readKeys(of: statement, entity)
    }

    /// The keys of the rows that exist, of those that the identifiers of this store name.
    private func keys(
        _ ids: [ManagedObjectID], _ root: Entity, on connection: Connection
    ) throws -> [EntityKey] {
        let own = ids.filter { $0.storeIdentifier == identifier && !$0.isTemporaryID }
        let statement = try connection.statement(
            """
            SELECT \(layout.keyColumns(of: root)) FROM \(layout.table(of: root)) t0 \
            WHERE t0.Z_PK IN (SELECT value FROM json_each(?))
            """)
        statement.bind(jsonArray(own.lazy.map(\.reference)), at: 1)
        return try readKeys(of: statement, root)
    }

    /// Runs the body in one transaction, and adds its number in the history to the outcome.
    private func recording(
        from origin: ChangeOrigin, temporaryStore: TemporaryStore,
        _ body: (Connection, HistoryRecorder?) throws -> BatchOutcome
    ) throws -> BatchOutcome {
        var (outcome, number) = try writeTransaction(
            from: origin, temporaryStore: temporaryStore, body)
        outcome.historyNumber = number
        return outcome
    }
}

private struct KeyListConnection: DeletionConnection {
    static let isInList = "IN (SELECT value FROM json_each(?))"

    let connection: Connection

    func list(_ keys: [Int64]) -> String { jsonArray(keys) }

    func run(_ sql: String, _ list: String) throws {
        let statement = try connection.statement(sql)
        statement.bind(list, at: 1)
        try statement.run()
    }

    func keys(_ sql: String, _ entity: Entity, _ list: String) throws -> [EntityKey] {
        let statement = try connection.statement(sql)
        statement.bind(list, at: 1)
        return try readKeys(of: statement, entity)
    }
}

/// Takes the rows of a batch insert, one after the other.
protocol BatchRowWriter {
    /// Whether no rows are pending, so that the memory of the last one can be reused.
    var isEmpty: Bool { get }

    /// Finishes the row and takes it.
    mutating func add(_ row: inout BatchInsertRow) throws

    /// Writes the pending rows. Called once, after the last row.
    mutating func finish() throws
}

extension RowInserter: BatchRowWriter {
    @inline(__always)
    mutating func add(_ row: inout BatchInsertRow) throws {
        try add(row.finish(), position: 0)
    }
}
