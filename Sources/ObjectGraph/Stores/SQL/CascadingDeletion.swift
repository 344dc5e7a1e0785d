/// A connection within a transaction, as `CascadingDeletion` uses it. Each statement has one
/// parameter, a list of keys.
package protocol DeletionConnection {
    associatedtype KeyList

    /// The condition that a key is in the list, such as `= ANY($1)`.
    static var isInList: String { get }

    func list(_ keys: [Int64]) -> KeyList
    func run(_ sql: String, _ list: KeyList) throws

    /// The keys that a statement selects with `StoreLayout.keyColumns`.
    func keys(_ sql: String, _ entity: Entity, _ list: KeyList) throws -> [EntityKey]
}

/// Records the changes of a transaction for the history of a store.
package protocol ChangeRecorder {
    /// Records the deletion of rows, which must still be there. Rows that are gone are left out.
    func delete(_ entity: Entity, keys: [Int64]) throws
    func update(_ entity: Entity, key: Int64, _ properties: PropertyMask) throws
}

/// Deletes rows and applies their delete rules in SQL (spec §6.4).
package struct CascadingDeletion<Connection: DeletionConnection> {
    private let connection: Connection
    private let layout: StoreLayout

    /// Whether the store has the entity's table, by entity index.
    private let hasTable: [Bool]
    private let recorder: (any ChangeRecorder)?

    /// The deleted rows, cascaded ones included.
    package private(set) var deletedKeys: [EntityKey] = []

    package init(
        on connection: Connection, _ layout: StoreLayout, hasTable: [Bool],
        recorder: (any ChangeRecorder)?
    ) {
        self.connection = connection
        self.layout = layout
        self.hasTable = hasTable
        self.recorder = recorder
    }

    private var model: ManagedObjectModel { layout.model }

    package mutating func delete(_ keys: [EntityKey]) throws {
        try collect(keys)
        let groups = groups(of: deletedKeys)
        for (entity, keys, list) in groups {
            try recorder?.delete(entity, keys: keys)
            try connection.run(
                "DELETE FROM \(layout.table(of: entity)) WHERE Z_PK \(Connection.isInList)", list)
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
    private func groups(of keys: [EntityKey]) -> [(Entity, [Int64], list: Connection.KeyList)] {
        Dictionary(grouping: keys, by: \.entityIndex).sorted { $0.key < $1.key }.map {
            let keys = $0.value.map(\.key)
            return (model.entities[$0.key], keys, connection.list(keys))
        }
    }

    private func relationships(of entity: Entity) -> [(Property, Relationship)] {
        entity.properties.compactMap { property in
            property.relationship.flatMap {
                hasTable[$0.destinationIndex] ? (property, $0) : nil
            }
        }
    }

    private func destinations(
        of property: Property, _ relationship: Relationship, _ entity: Entity,
        _ list: Connection.KeyList
    ) throws -> [EntityKey] {
        let destination = model.destination(of: relationship)
        let sql = layout.select(
            layout.keyColumns(of: destination), destinationsOf: property, entity,
            where: Connection.isInList, isOrdered: false)
        return try connection.keys(sql, destination, list)
    }

    /// Removes the pairs of deleted rows, and the foreign keys of remaining rows if the rule is
    /// nullify.
    private func cut(
        _ property: Property, _ relationship: Relationship, _ entity: Entity,
        _ list: Connection.KeyList
    ) throws {
        if case .joinTable(let end) = relationship.storage {
            if let recorder, let inverse = model.inverse(of: relationship) {
                let others = try destinations(of: property, relationship, entity, list)
                try record(others, inverse, recorder)
            }
            let join = layout.joinTable(end)
            return try connection.run(
                "\(join.removal) WHERE \(join.sourceColumn) \(Connection.isInList)", list)
        }
        guard relationship.deleteRule == .nullify, let inverse = model.inverse(of: relationship),
            inverse.slot != nil
        else { return }
        let destination = model.destination(of: relationship)
        let table = layout.table(of: destination)
        let column = layout.column(of: inverse)
        let condition = "\(column) \(Connection.isInList)"
        let referring = "SELECT \(layout.keyColumns(of: destination)) FROM \(table) t0"
        if !inverse.isOptional {
            let sql = "\(referring) WHERE \(condition) LIMIT 1"
            guard try connection.keys(sql, destination, list).isEmpty else {
                throw StoreError(
                    .missingMandatoryValue(attribute: inverse.name, entity: destination.name))
            }
        }
        if let recorder {
            let keys = try connection.keys("\(referring) WHERE \(condition)", destination, list)
            try record(keys, inverse, recorder)
        }
        // Rows of other writers may have no version. They count as version 0 (spec §5.2).
        try connection.run(
            "UPDATE \(table) SET \(column) = NULL, Z_OPT = coalesce(Z_OPT, 0) + 1 WHERE \(condition)",
            list)
    }

    /// Records that a property of the rows has changed.
    private func record(
        _ keys: [EntityKey], _ property: Property, _ recorder: any ChangeRecorder
    ) throws {
        var properties = PropertyMask()
        properties.insert(property.index)
        for key in Set(keys).sorted(by: { $0.key < $1.key }) {
            try recorder.update(model.entities[key.entityIndex], key: key.key, properties)
        }
    }
}
