/// Deletes rows and applies their delete rules in SQL (spec §6.4).
struct CascadingDeletion {
    let store: SQLiteStore
    let connection: Connection
    let recorder: HistoryRecorder?

    /// The deleted rows, cascaded ones included.
    private(set) var deletedKeys: [EntityKey] = []

    init(store: SQLiteStore, connection: Connection, recorder: HistoryRecorder?) {
        self.store = store
        self.connection = connection
        self.recorder = recorder
    }

    private var layout: StoreLayout { store.layout }
    private var model: ManagedObjectModel { layout.model }

    mutating func delete(_ keys: [EntityKey]) throws {
        try collect(keys)
        let groups = groups(of: deletedKeys)
        for (entity, keys, list) in groups {
            try recorder?.delete(entity, keys: keys)
            try run(
                "DELETE FROM \(layout.table(of: entity)) WHERE Z_PK IN (SELECT value FROM json_each(?))",
                list)
        }
        // Rows that refer to a deleted row now are rows that remain.
        for (entity, _, list) in groups {
            for (property, relationship) in relationships(of: entity) {
                try cut(property, relationship, entity, list)
            }
        }
    }

    /// Collects the rows and all that their cascades reach, one pass for each step of a chain.
    private mutating func collect(_ keys: [EntityKey]) throws {
        var seen: Set<EntityKey> = []
        var waiting = keys
        while !waiting.isEmpty {
            let fresh = waiting.filter { seen.insert($0).inserted }
            deletedKeys += fresh
            waiting = []
            for (entity, _, list) in groups(of: fresh) {
                for (property, relationship) in relationships(of: entity)
                where relationship.deleteRule == .cascade {
                    waiting += try destinations(of: property, relationship, entity, list)
                }
            }
        }
    }

    /// The keys of each entity, also as a list, in the order of the entities.
    private func groups(of keys: [EntityKey]) -> [(Entity, [Int64], list: String)] {
        Dictionary(grouping: keys, by: \.entityIndex).sorted { $0.key < $1.key }.map {
            let keys = $0.value.map(\.key)
            return (model.entities[$0.key], keys, jsonArray(keys))
        }
    }

    private func relationships(of entity: Entity) -> [(Property, Relationship)] {
        entity.properties.compactMap { property in
            property.relationship.flatMap {
                store.hasTable[$0.destinationIndex] ? (property, $0) : nil
            }
        }
    }

    private func destinations(
        of property: Property, _ relationship: Relationship, _ entity: Entity, _ list: String
    ) throws -> [EntityKey] {
        let destination = model.destination(of: relationship)
        let sql = layout.select(
            layout.keyColumns(of: destination), destinationsOf: property, entity,
            where: "IN (SELECT value FROM json_each(?))", isOrdered: false)
        return try keys(sql, destination, list)
    }

    /// Removes the pairs of deleted rows, and the foreign keys of remaining rows if the rule is
    /// nullify.
    private func cut(
        _ property: Property, _ relationship: Relationship, _ entity: Entity, _ list: String
    ) throws {
        if case .joinTable(let end) = relationship.storage {
            if let recorder, let inverse = model.inverse(of: relationship) {
                let others = try destinations(of: property, relationship, entity, list)
                try record(others, inverse, recorder)
            }
            let join = layout.joinTable(end)
            return try run(
                "DELETE FROM \(join.name) WHERE \(join.sourceColumn) IN (SELECT value FROM json_each(?))",
                list)
        }
        guard relationship.deleteRule == .nullify, let inverse = model.inverse(of: relationship),
            inverse.slot != nil
        else { return }
        let destination = model.destination(of: relationship)
        let table = layout.table(of: destination)
        let column = layout.column(of: inverse)
        let condition = "\(column) IN (SELECT value FROM json_each(?))"
        if !inverse.isOptional {
            let sql =
                "SELECT \(layout.keyColumns(of: destination)) FROM \(table) t0 WHERE \(condition) LIMIT 1"
            guard try keys(sql, destination, list).isEmpty else {
                throw StoreError(
                    .missingMandatoryValue(attribute: inverse.name, entity: destination.name))
            }
        }
        if let recorder {
            let sql =
                "SELECT \(layout.keyColumns(of: destination)) FROM \(table) t0 WHERE \(condition)"
            try record(try keys(sql, destination, list), inverse, recorder)
        }
        // Rows of other writers may have no version. They count as version 0 (spec §5.2).
        try run(
            "UPDATE \(table) SET \(column) = NULL, Z_OPT = IFNULL(Z_OPT, 0) + 1 WHERE \(condition)",
            list)
    }

    /// Records that a property of the rows has changed.
    private func record(
        _ keys: [EntityKey], _ property: Property, _ recorder: HistoryRecorder
    ) throws {
        var properties = PropertyMask()
        properties.insert(property.index)
        for key in Set(keys).sorted(by: { $0.key < $1.key }) {
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
