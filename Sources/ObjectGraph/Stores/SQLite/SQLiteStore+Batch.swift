// Batch requests run as SQL, each in one transaction (spec §6).
extension SQLiteStore {
    func execute(
        _ request: BatchInsertRequest, entity: Entity, collisions: CollisionRule,
        resultType: BatchResultType
    ) throws -> BatchOutcome {
        let root = model.entities[entity.rootIndex]
        let statements = statements[entity.index]
        return try writeTransaction { connection in
            let first = try lastKey(of: root, on: connection) + 1
            guard entity.uniquenessConstraints.isEmpty else {
                var upserter = try RowUpserter(
                    entity, statements, layout, collisions,
                    reportsKeys: resultType == .objectIDs, on: connection)
                let last = try write(request, entity, from: first, to: &upserter)
                try setLastKey(last, of: root, on: connection)
                return upserter.outcome(firstNewKey: first)
            }
            var inserter = try RowInserter(entity, statements, on: connection)
            let last = try write(request, entity, from: first, to: &inserter)
            if let collision = inserter.collisions.first { throw collision.error }
            try setLastKey(last, of: root, on: connection)
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
        _ request: BatchUpdateRequest, entity: Entity, resultType: BatchResultType
    ) throws -> BatchOutcome {
        let translation = try BatchUpdateTranslation(request, entity: entity, layout: layout)
        return try writeTransaction { connection in
            var keys: [EntityKey] = []
            if resultType == .objectIDs {
                var matching = FetchRequest(
                    entityName: request.entityName, predicate: request.predicate)
                matching.includesSubentities = request.includesSubentities
                keys = try self.keys(matching, entity, on: connection)
            }
            let statement = try connection.statement(translation.sql)
            statement.bind(translation.bindings)
            try statement.run()
            return BatchOutcome(count: connection.changes, updated: keys)
        }
    }

    func execute(
        _ request: BatchDeleteRequest, entity: Entity, resultType: BatchResultType
    ) throws -> BatchOutcome {
        try writeTransaction { connection in
            let keys = try keys(request.fetchRequest, entity, on: connection)
            var deletion = CascadingDeletion(store: self, connection: connection)
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

    private func writeTransaction<T>(_ body: (Connection) throws -> T) throws -> T {
        try mapping {
            try write { connection in
                try connection.transaction(.immediate) { try body(connection) }
            }
        }
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

    /// The rows deleted so far, cascaded ones included.
    private(set) var deletedKeys: [EntityKey] = []
    private var seen: Set<EntityKey> = []

    init(store: SQLiteStore, connection: Connection) {
        self.store = store
        self.connection = connection
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
            try run(
                "UPDATE \(table) SET \(column) = NULL, Z_OPT = Z_OPT + 1 WHERE \(condition)",
                list)
        }
        return cascaded
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
