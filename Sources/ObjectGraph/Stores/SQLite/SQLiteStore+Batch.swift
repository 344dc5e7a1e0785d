// Batch requests run as SQL, each in one transaction (spec §6).
extension SQLiteStore {
    func execute(
        _ request: BatchInsertRequest, entity: Entity, resultType: BatchResultType
    ) throws -> BatchOutcome {
        let root = model.entities[entity.rootIndex]
        return try writeTransaction { connection in
            let first = try lastKey(of: root, on: connection) + 1
            var inserter = try RowInserter(entity, statements[entity.index], on: connection)
            var row = BatchInsertRow(entity)
            var next = first
            switch request.source {
            case .objects(let objects):
                for values in objects {
                    row.begin(key: next, isAlone: inserter.isEmpty)
                    for (name, value) in values { try row.set(value, forKey: name) }
                    try inserter.add(row.finish(), position: Int(next - first))
                    next += 1
                }
            case .handler(let handler):
                row.begin(key: next, isAlone: true)
                while try !handler(&row) {
                    try inserter.add(row.finish(), position: Int(next - first))
                    next += 1
                    row.begin(key: next, isAlone: inserter.isEmpty)
                }
            }
            try inserter.finish()
            if let collision = inserter.collisions.first { throw collision.error }
            try setLastKey(next - 1, of: root, on: connection)
            let keys = resultType == .objectIDs ? Array(first..<next) : []
            return BatchOutcome(
                count: Int(next - first),
                keys: keys.map { EntityKey(entityIndex: entity.index, key: $0) })
        }
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
            return BatchOutcome(count: connection.changes, keys: keys)
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
                count: keys.count, keys: resultType == .objectIDs ? deletion.deletedKeys : [])
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
