/// Deletes rows and applies their delete rules in SQL (spec §6.4).
struct CascadingDeletion {
    let store: SQLiteStore
    let connection: Connection

    /// The deleted rows, cascaded ones included.
    private(set) var deletedKeys: [EntityKey] = []

    init(store: SQLiteStore, connection: Connection) {
        self.store = store
        self.connection = connection
    }

    private var layout: StoreLayout { store.layout }
    private var model: ManagedObjectModel { layout.model }

    mutating func delete(_ keys: [EntityKey]) throws {
        try collect(keys)
        let groups = lists(of: deletedKeys)
        for (entity, list) in groups {
            try run(
                "DELETE FROM \(layout.table(of: entity)) WHERE Z_PK IN (SELECT value FROM json_each(?))",
                list)
        }
        // Rows that refer to a deleted row now are rows that remain.
        for (entity, list) in groups {
            for (property, relationship) in relationships(of: entity) {
                try cut(property, relationship, list)
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
            for (entity, list) in lists(of: fresh) {
                for (property, relationship) in relationships(of: entity)
                where relationship.deleteRule == .cascade {
                    waiting += try destinations(of: property, relationship, entity, list)
                }
            }
        }
    }

    /// The keys of each entity as a list, in the order of the entities.
    private func lists(of keys: [EntityKey]) -> [(Entity, String)] {
        Dictionary(grouping: keys, by: \.entityIndex).sorted { $0.key < $1.key }.map {
            (model.entities[$0.key], jsonArray($0.value.map(\.key)))
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
        let sql = store.select(
            layout.keyColumns(of: destination), destinationsOf: property, entity,
            where: "IN (SELECT value FROM json_each(?))")
        return try keys(sql, destination, list)
    }

    /// Removes the pairs of deleted rows, and the foreign keys of remaining rows if the rule is
    /// nullify.
    private func cut(
        _ property: Property, _ relationship: Relationship, _ list: String
    ) throws {
        if case .joinTable(let end) = relationship.storage {
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
        // Rows of other writers may have no version. They count as version 0 (spec §5.2).
        try run(
            "UPDATE \(table) SET \(column) = NULL, Z_OPT = IFNULL(Z_OPT, 0) + 1 WHERE \(condition)",
            list)
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
