// Batch requests run as SQL, each in one transaction (spec §6).
extension SQLiteStore {
    func execute(
        _ request: BatchInsertRequest, entity: Entity, collisions: CollisionRule,
        resultType: BatchResultType, from origin: ChangeOrigin
    ) throws -> BatchOutcome {
        let root = model.entities[entity.rootIndex]
        let statements = statements[entity.index]
        return try recording(from: origin) { connection, recorder in
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
            var inserter = try RowInserter(entity, statements, on: connection)
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
        return try recording(from: origin) { connection, recorder in
            var keys: [EntityKey] = []
            if resultType == .objectIDs || recorder != nil {
                var matching = FetchRequest(
                    entityName: request.entityName, predicate: request.predicate)
                matching.includesSubentities = request.includesSubentities
                keys = try self.keys(matching, entity, on: connection)
            }
            if let recorder {
                var properties = PropertyMask()
                for name in request.propertiesToUpdate.keys {
                    properties.insert(entity.property(named: name)!.index)
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
        try recording(from: origin) { connection, recorder in
            let keys = try keys(request.fetchRequest, entity, on: connection)
            var deletion = CascadingDeletion(
                store: self, connection: connection, recorder: recorder)
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

    /// Runs the body in one transaction, and adds its number in the history to the outcome.
    private func recording(
        from origin: ChangeOrigin, _ body: (Connection, HistoryRecorder?) throws -> BatchOutcome
    ) throws -> BatchOutcome {
        var (outcome, number) = try writeTransaction(from: origin, body)
        outcome.historyNumber = number
        return outcome
    }
}

/// What takes the rows of a batch insert, one after the other.
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

/// Deletes rows and applies their delete rules in SQL (spec §6.4).
private struct CascadingDeletion {
    let store: SQLiteStore
    let connection: Connection
    let recorder: HistoryRecorder?

    /// The rows deleted so far, cascaded ones included.
    private(set) var deletedKeys: [EntityKey] = []
    private var seen: Set<EntityKey> = []

    init(store: SQLiteStore, connection: Connection, recorder: HistoryRecorder?) {
        self.store = store
        self.connection = connection
        self.recorder = recorder
    }

    private var layout: StoreLayout { store.layout }
    private var model: ManagedObjectModel { layout.model }

    mutating func delete(_ keys: [EntityKey]) throws {
        var waiting = keys
        // One pass for each step of a chain of cascades, however long it is.
        while !waiting.isEmpty {
            let fresh = waiting.filter { seen.insert($0).inserted }
            waiting = []
            for (index, group) in Dictionary(grouping: fresh, by: \.entityIndex) {
                let entity = model.entities[index]
                let list = jsonArray(group.map(\.key))
                for property in entity.properties {
                    guard let relationship = property.relationship,
                        store.hasTable[relationship.destinationIndex]
                    else { continue }
                    waiting += try follow(property, relationship, of: entity, list)
                }
                try recorder?.delete(entity, keys: group.lazy.map(\.key))
                try run(
                    "DELETE FROM \(layout.table(of: entity)) WHERE Z_PK IN (SELECT value FROM json_each(?))",
                    list)
                deletedKeys += group
            }
        }
    }

    /// Applies the delete rule of one relationship to the listed rows.
    private func follow(
        _ property: Property, _ relationship: Relationship, of entity: Entity, _ list: String
    ) throws -> [EntityKey] {
        let destination = model.destination(of: relationship)
        var cascaded: [EntityKey] = []
        if relationship.deleteRule == .cascade {
            let sql = store.select(
                layout.keyColumns(of: destination), destinationsOf: property, entity,
                where: "IN (SELECT value FROM json_each(?))")
            cascaded = try keys(sql, destination, list)
        }
        if case .joinTable(let end) = relationship.storage {
            let join = layout.joinTable(end)
            try recordOtherEnds(of: property, entity, list)
            try run(
                "DELETE FROM \(join.name) WHERE \(join.sourceColumn) IN (SELECT value FROM json_each(?))",
                list)
        } else if relationship.deleteRule == .nullify,
            let inverse = model.inverse(of: relationship), inverse.slot != nil
        {
            let table = layout.table(of: destination)
            let column = layout.column(of: inverse)
            let condition = "\(column) IN (SELECT value FROM json_each(?))"
            if !inverse.isOptional {
                let count = try keys(
                    "SELECT \(layout.keyColumns(of: destination)) FROM \(table) t0 WHERE \(condition) LIMIT 1",
                    destination, list)
                guard count.isEmpty else {
                    throw StoreError(
                        .missingMandatoryValue(
                            attribute: inverse.name, entity: destination.name))
                }
            }
            if let recorder {
                let sql =
                    "SELECT \(layout.keyColumns(of: destination)) FROM \(table) t0 WHERE \(condition)"
                try record(try keys(sql, destination, list), inverse, recorder)
            }
            try run(
                "UPDATE \(table) SET \(column) = NULL, Z_OPT = Z_OPT + 1 WHERE \(condition)",
                list)
        }
        return cascaded
    }

    /// Records the objects that lose a pair with a deleted one.
    private func recordOtherEnds(
        of property: Property, _ entity: Entity, _ list: String
    ) throws {
        guard let recorder, let relationship = property.relationship,
            let inverse = model.inverse(of: relationship)
        else { return }
        let destination = model.destination(of: relationship)
        let sql = store.select(
            layout.keyColumns(of: destination), destinationsOf: property, entity,
            where: "IN (SELECT value FROM json_each(?))")
        try record(try keys(sql, destination, list), inverse, recorder)
    }

    private func record(
        _ keys: [EntityKey], _ property: Property, _ recorder: HistoryRecorder
    ) throws {
        var properties = PropertyMask()
        properties.insert(property.index)
        for key in Set(keys).subtracting(seen).sorted(by: { $0.key < $1.key }) {
            try recorder.update(model.entities[key.entityIndex], key: key.key, properties)
        }
    }

    private func keys(_ sql: String, _ entity: Entity, _ list: String) throws -> [EntityKey] {
        let statement = try connection.statement(sql)
        statement.bind(list, at: 1)
        return try readKeys(of: statement, entity)
    }

    private func run(_ sql: String, _ list: String) throws {
        let statement = try connection.statement(sql)
        statement.bind(list, at: 1)
        try statement.run()
    }
}
