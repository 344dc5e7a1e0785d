@testable import ObjectGraph

/// A copy of a store's rows, onto which the history since then is replayed. It must then be equal
/// to the store (spec §10.4).
struct HistoryCopy {
    /// The values of an object by the properties that they belong to, and its version.
    private typealias Values = [String: String]

    private let coordinator: PersistentStoreCoordinator
    private let store: SQLiteStore
    private let token: PersistentHistoryToken
    private let rows: [EntityKey: Values]

    /// Nil for a store without a history.
    init?(of coordinator: PersistentStoreCoordinator) throws {
        guard let store = coordinator.records[0].store as? SQLiteStore, store.history != nil else {
            return nil
        }
        self.coordinator = coordinator
        self.store = store
        token = try coordinator.currentPersistentHistoryToken()
        rows = try Self.rows(of: store)
    }

    /// The first difference between the copy with the history and the store.
    func difference() throws -> String? {
        var (stored, copy) = (try Self.rows(of: store), rows)
        dropLostPairs(of: &stored)
        try coordinator.enumerateHistory(PersistentHistoryRequest(after: .token(token))) {
            for change in $0.changes! { replay(change, stored, onto: &copy) }
        }
        dropLostPairs(of: &copy)
        for row in Set(copy.keys).union(stored.keys) where copy[row] != stored[row] {
            return
                "\(row) is \(copy[row] ?? [:]) after the history, and stored as \(stored[row] ?? [:])"
        }
        return nil
    }

    /// A pair is gone with either of its ends.
    private func dropLostPairs(of copy: inout [EntityKey: Values]) {
        for (name, destination) in [("groups", "Group"), ("members", "Person")] {
            let index = store.model.entity(named: destination)!.index
            for (row, values) in copy {
                let left = values[name]?.split(separator: " ").filter {
                    copy[EntityKey(entityIndex: index, key: Int64($0)!)] != nil
                }
                copy[row]![name] = left.flatMap {
                    $0.isEmpty ? nil : $0.joined(separator: " ") + " "
                }
            }
        }
    }

    /// Takes the stored values of what the change names.
    private func replay(
        _ change: PersistentHistoryChange, _ stored: [EntityKey: Values],
        onto copy: inout [EntityKey: Values]
    ) {
        let id = change.changedObjectID
        let row = EntityKey(entityIndex: id.scope.entityIndex, key: id.reference)
        switch change.changeType {
        case .insert: copy[row] = stored[row]
        case .delete: copy[row] = nil
        case .update:
            guard let values = stored[row] else { return }
            for name in change.updatedProperties!.union(["version"]) {
                copy[row]?[name] = values[name]
            }
        }
    }

    /// All rows of the store, by plain SQL. The place of an object in an order belongs to its
    /// owner.
    private static func rows(of store: SQLiteStore) throws -> [EntityKey: Values] {
        var rows: [EntityKey: Values] = [:]
        try store.pool.read { connection in
            for entity in store.model.entities {
                func add(_ name: String, _ sql: String) throws {
                    let statement = try connection.statement(sql)
                    while try statement.step() {
                        let row = EntityKey(
                            entityIndex: entity.index, key: statement.value(at: 0).integer)
                        rows[row, default: [:]][name, default: ""] +=
                            statement.value(at: 1).string + " "
                    }
                }
                func column(_ name: String) -> String {
                    "SELECT Z_PK, \(name) FROM \(store.layout.table(of: entity)) WHERE Z_ENT = \(store.layout.number(of: entity))"
                }
                try add("version", column("Z_OPT"))
                for property in entity.properties {
                    if property.slot != nil {
                        try add(
                            property.isHidden ? "owner" : property.name,
                            column(store.layout.column(of: property)))
                    } else if case .joinTable(let end) = property.relationship?.storage {
                        let join = store.layout.joinTable(end)
                        try add(
                            property.name,
                            "SELECT \(join.sourceColumn), \(join.destinationColumn) FROM \(join.name) ORDER BY 2"
                        )
                    }
                }
            }
        }
        // What is left are pairs of objects that are gone.
        return rows.filter { $0.value["version"] != nil }
    }
}
