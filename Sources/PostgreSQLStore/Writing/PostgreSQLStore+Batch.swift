#if PostgreSQL
import ObjectGraph

// Batch requests run as SQL, each in one transaction (spec §6).
extension PostgreSQLStore: BatchStore {
    func execute(
        _ request: BatchInsertRequest, entity: Entity, collisions: CollisionRule,
        resultType: BatchResultType, from origin: ChangeOrigin
    ) throws -> BatchOutcome {
        let root = model.entities[entity.rootIndex]
        let first = try reserveBlock(BatchKeys.firstSize, root: root)
        // During a COPY the link can do nothing else, and the pool may have no other.
        var keys = BatchKeys(first) { [self] count in
            try reserveBlock(count, root: root, on: Link(settings))
        }
        let source =
            try entity.uniquenessConstraints.isEmpty ? nil : UpsertSource(request, model, entity)
        return try writeTransaction(isRepeatable: source?.canRestart ?? false) { transaction in
            try recording(from: origin, in: transaction) { recorder in
                let outcome: BatchOutcome
                if let source {
                    source.restart()
                    var upserter = BatchUpserter(
                        entity, layout, collisions, reportsKeys: resultType == .objectIDs,
                        recorder, transaction)
                    try upserter.write(source, &keys)
                    outcome = upserter.outcome
                } else {
                    try transaction.begin()
                    try copy(request, entity, &keys, on: transaction.link)
                    for key in recorder == nil ? [] : keys.taken {
                        try recorder?.insert(entity, key: key)
                    }
                    let taken = resultType == .objectIDs ? keys.taken : []
                    outcome = BatchOutcome(
                        count: keys.count,
                        inserted: taken.map { EntityKey(entityIndex: entity.index, key: $0) })
                }
                // Other writers wait for this row until the commit, which follows.
                _ = try transaction.run(giveBack(keys.rest, root))
                return outcome
            }
        }
    }

    /// Gives reserved keys back if they are the last ones of the table.
    private func giveBack(_ keys: Range<Int64>, _ root: Entity) -> Command {
        Command(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = $1 WHERE Z_ENT = $2 AND Z_MAX = $3",
            [
                .integer(keys.lowerBound - 1), .integer(layout.number(of: root)),
                .integer(keys.upperBound - 1),
            ])
    }

    /// Inserts the rows of a request by COPY, row by row.
    private func copy(
        _ request: BatchInsertRequest, _ entity: Entity, _ keys: inout BatchKeys, on link: Link
    ) throws {
        let columns = layout.attributeColumns(of: entity)
        let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map(\.name)
        let sources = columns.map(\.source)
        let number = layout.number(of: entity)
        let handler = try request.makeHandler(model, entity)
        try link.copy(into: layout.table(of: entity), names) { writer in
            var row = BatchInsertRow(entity)
            row.begin(key: keys.next, isAlone: true)
            while try !handler(&row) {
                try writer.beginRow()
                writer.append(integer: keys.next)
                writer.append(integer: number)
                writer.append(integer: 1)
                try writer.append(row.finish(), sources, entity)
                try keys.take()
                row.begin(key: keys.next, isAlone: true)
            }
        }
    }

    func execute(
        _ request: BatchUpdateRequest, entity: Entity, resultType: BatchResultType,
        from origin: ChangeOrigin
    ) throws -> BatchOutcome {
        let translation = try translation(request, entity)
        let returnsKeys = resultType == .objectIDs || recordsHistory
        let sql =
            translation.sql + (returnsKeys ? " RETURNING \(layout.keyColumns(of: entity))" : "")
        let command = Command(sql, translation.bindings.map { Parameter($0) })
        var properties = PropertyMask()
        for (property, _) in try request.assignments(to: entity) {
            properties.insert(property.index)
        }
        return try writeTransaction { transaction in
            try recording(from: origin, in: transaction) { recorder in
                let rows = try transaction.run(command)
                let keys = returnsKeys ? try entityKeys(of: rows, entity) : []
                for key in keys {
                    try recorder?.update(model.entities[key.entityIndex], key: key.key, properties)
                }
                return BatchOutcome(
                    count: rows.affectedCount, updated: resultType == .objectIDs ? keys : [])
            }
        }
    }

    /// The statement of a request. If SQL cannot select its rows, it has their keys.
    private func translation(
        _ request: BatchUpdateRequest, _ entity: Entity
    ) throws -> BatchUpdateTranslation {
        func translated(_ request: BatchUpdateRequest) throws -> BatchUpdateTranslation {
            try BatchUpdateTranslation(request, entity: entity, layout: layout)
        }
        do {
            return try translated(request)
        } catch let error as FetchError where error.isOfSQL && request.predicate != nil {
            var matching = FetchRequest(
                entityName: request.entityName, predicate: request.predicate)
            matching.includesSubentities = request.includesSubentities
            let ids = try fetchKeys(matching, entity: entity, progress: nil).map {
                ManagedObjectID(scope: opened.scopes[$0.entityIndex], reference: $0.key)
            }
            var request = request
            request.predicate = .comparison(
                .init(.evaluatedObject, .in, .aggregate(ids.map { .constant(.objectID($0)) })))
            return try translated(request)
        }
    }

    /// The rows are found before the transaction begins, as every statement of it would find them
    /// before the next one.
    func execute(
        _ request: BatchDeleteRequest, entity: Entity, resultType: BatchResultType,
        from origin: ChangeOrigin
    ) throws -> BatchOutcome {
        let keys =
            try request.objectIDs.map { try storedKeys($0, entity) }
            ?? fetchKeys(request.fetchRequest, entity: entity, progress: nil)
        return try writeTransaction { transaction in
            try recording(from: origin, in: transaction) { recorder in
                var deletion = CascadingDeletion(
                    on: KeyListConnection(transaction: transaction), layout,
                    hasTable: opened.hasTable, recorder: recorder)
                try deletion.delete(keys)
                return BatchOutcome(
                    count: keys.count,
                    deleted: resultType == .objectIDs ? deletion.deletedKeys : [])
            }
        }
    }

    /// The keys of the rows that exist, of those that the identifiers of this store name.
    private func storedKeys(_ ids: [ManagedObjectID], _ root: Entity) throws -> [EntityKey] {
        let own = ids.filter { $0.storeIdentifier == identifier && !$0.isTemporaryID }
        let command = Command(
            """
            SELECT \(layout.keyColumns(of: root)) FROM \(layout.table(of: root)) t0 \
            WHERE t0.Z_PK = ANY($1)
            """, [.integers(own.map(\.reference))])
        return try pool.read { try entityKeys(of: $0.run(command), root) }
    }
}

private struct KeyListConnection: DeletionConnection {
    static let isInList = "= ANY($1)"

    let transaction: WriteTransaction

    func list(_ keys: [Int64]) -> Parameter { .integers(keys) }

    func run(_ sql: String, _ list: Parameter) throws {
        _ = try transaction.run(Command(sql, [list]))
    }

    func keys(_ sql: String, _ entity: Entity, _ list: Parameter) throws -> [EntityKey] {
        try entityKeys(of: transaction.run(Command(sql, [list])), entity)
    }
}

/// The identities in a result with the columns `StoreLayout.keyColumns(of:)`.
private func entityKeys(of rows: Rows, _ entity: Entity) throws -> [EntityKey] {
    try (0..<rows.count).map { row in
        try EntityKey(number: rows.integer(row, 1), key: rows.integer(row, 0), of: entity)
    }
}

extension CopyWriter {
    /// Appends the values of a row.
    ///
    /// - Throws: `StoreError` for a text that PostgreSQL cannot store.
    fileprivate mutating func append(
        _ row: RowReference, _ sources: [StoredColumn.Source], _ entity: Entity
    ) throws {
        let layout = entity.layout
        for source in sources {
            let slot = source.slot
            guard row.hasValue(slot) else {
                appendNull()
                continue
            }
            switch layout.slotKinds[slot] {
            case .integer: append(integer: row.integer(slot, in: layout))
            case .real: append(real: row.real(slot, in: layout))
            case .text:
                let bytes = row.bytes(slot, in: layout)
                try entity.requireStorable(bytes, at: slot)
                source.withStored(bytes) { append(bytes: $0) }
            case .blob: append(bytes: row.bytes(slot, in: layout))
            }
        }
    }
}
#endif
