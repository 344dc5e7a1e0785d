import Foundation

@testable import ObjectGraph

/// The keys and pairs of a store, read without contexts, row cache and predicates.
struct StoredReferences {
    /// An object, and one to which it refers.
    private struct Reference: Hashable {
        let property: String
        let source: EntityKey
        let destination: Int64
    }

    /// By the index of the root entity.
    private var keys: [Int: Set<Int64>] = [:]
    private var references: Set<Reference> = []
    private var model: ManagedObjectModel

    /// Reads the first store; nothing of a store that is neither SQLite nor in memory.
    init(of coordinator: PersistentStoreCoordinator) throws {
        model = coordinator.model
        switch coordinator.records[0].store {
        case let store as SQLiteStore:
            let read = try store.pool.read { connection in
                var copy = self
                try copy.read(store.layout, on: connection)
                return copy
            }
            self = read
        case let store as InMemoryStore: read(store)
        default: break
        }
    }

    /// The references to rows that are gone.
    func faults() -> [String] {
        references.compactMap { reference in
            let entity = model.entities[reference.source.entityIndex]
            let relationship = entity.property(named: reference.property)!.relationship!
            let destination = model.destination(of: relationship)
            let isWhole =
                keys[entity.rootIndex, default: []].contains(reference.source.key)
                && keys[destination.rootIndex, default: []].contains(reference.destination)
            return isWhole
                ? nil
                : "\(entity.name)\(reference.source.key).\(reference.property) leads to \(reference.destination), and one of the two is gone"
        }.sorted()
    }

    // MARK: - SQLite

    private mutating func read(_ layout: StoreLayout, on connection: Connection) throws {
        func forEachRow(_ sql: String, _ body: (Int64, Int64) -> Void) throws {
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            while try statement.step() {
                body(statement.value(at: 0).integer, statement.value(at: 1).integer)
            }
        }
        for entity in model.entities {
            let table = "\(layout.table(of: entity)) WHERE Z_ENT = \(layout.number(of: entity))"
            try forEachRow("SELECT Z_PK, Z_PK FROM \(table)") { key, _ in
                keys[entity.rootIndex, default: []].insert(key)
            }
            for property in entity.properties where property.relationship != nil {
                if property.kind == .toOne {
                    let column = layout.column(of: property)
                    try forEachRow("SELECT Z_PK, \(column) FROM \(table) AND \(column) NOT NULL") {
                        add(property, entity, $0, $1)
                    }
                } else if case .joinTable(let end) = property.relationship!.storage,
                    property.declaringEntityIndex == entity.index
                {
                    let join = layout.joinTable(end)
                    try forEachRow(
                        "SELECT \(join.sourceColumn), \(join.destinationColumn) FROM \(join.name)"
                    ) { add(property, entity, $0, $1) }
                }
            }
        }
    }

    private mutating func add(
        _ property: Property, _ entity: Entity, _ source: Int64, _ destination: Int64
    ) {
        references.insert(
            Reference(
                property: property.name,
                source: EntityKey(entityIndex: entity.index, key: source),
                destination: destination))
    }

    // MARK: - In memory

    private mutating func read(_ store: InMemoryStore) {
        let contents = store.snapshot(
            for: FetchRequest(entityName: ""), of: 0...0, reaching: []
        ).contents
        for root in model.rootEntities {
            for row in contents.rows(root: root.index) {
                keys[root.index, default: []].insert(row.key)
                let entity = model.entities[row.entityIndex]
                for property in entity.properties where property.kind == .toOne {
                    if let destination = row.destination(of: property, in: entity.layout) {
                        add(property, entity, row.key, destination.key)
                    }
                }
            }
        }
        for entity in model.entities {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard case .joinTable(let end) = property.relationship?.storage else { continue }
                for (source, destinations) in contents.references[.joinEnd(end.index), default: [:]]
                {
                    for destination in destinations { add(property, entity, source, destination) }
                }
            }
        }
    }
}
