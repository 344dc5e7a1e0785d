#if PostgreSQL
import ObjectGraph

/// What the tables of a store in PostgreSQL must have.
struct SchemaTables {
    private let model: ManagedObjectModel
    private let entityNames: Set<String>
    private let layout: StoreLayout

    /// - Parameter entityNames: The entities that the store holds.
    init(_ model: ManagedObjectModel, entityNames: Set<String>, _ layout: StoreLayout) {
        self.model = model
        self.entityNames = entityNames
        self.layout = layout
    }

    /// Every entity that shares a table with one that the store holds.
    var entities: [Entity] { roots.flatMap { model.entities[$0.familyIndexes] } }

    private var roots: [Entity] { model.rootsOfTables(holding: entityNames) }

    /// The tables that the store's own data need.
    static let bookkeeping = [
        TableForm(
            name: "z_metadata",
            columns: [
                TableForm.Column(name: "z_version", kind: .integer),
                TableForm.Column(name: "z_uuid", kind: .text),
                TableForm.Column(name: "z_plist", kind: .blob),
            ]),
        TableForm(
            name: "z_primarykey",
            columns: [
                TableForm.Column(name: "z_ent", kind: .integer),
                TableForm.Column(name: "z_name", kind: .text),
                TableForm.Column(name: "z_super", kind: .integer),
                TableForm.Column(name: "z_max", kind: .integer),
            ]),
    ]

    /// The tables of entities and the join tables. The server has their names in lower case.
    var forms: [TableForm] { roots.map(form) + joins }

    private func form(of root: Entity) -> TableForm {
        var columns = ["z_pk", "z_ent", "z_opt"].map {
            TableForm.Column(name: $0, kind: .integer)
        }
        var known: Set<String> = []
        for entity in model.entities[root.familyIndexes] {
            for property in entity.properties {
                guard let slot = property.slot else { continue }
                let slots = [slot, property.entitySlot].compactMap(\.self)
                for column in layout.writtenColumns(slots, of: entity) {
                    let name = column.name.serverName
                    guard known.insert(name).inserted else { continue }
                    columns.append(
                        TableForm.Column(
                            name: name, kind: entity.layout.slotKinds[column.slot],
                            entity: entity.name, property: property.name))
                }
            }
        }
        let tables = StoreTables(layout, entityNames: entityNames)
        let keys = model.entities[root.familyIndexes].flatMap { tables.uniqueKeys(of: $0) }
        return TableForm(
            name: layout.table(of: root).serverName, columns: columns,
            uniqueKeys: [["z_pk"]] + keys.map { $0.map(\.serverName) }, entity: root.name)
    }

    /// The join tables as their owning ends see them.
    private var joins: [TableForm] {
        var known: Set<Int> = []
        return entities.flatMap { entity in
            entity.properties.compactMap { property -> TableForm? in
                guard case .joinTable(let end) = property.relationship?.storage, end.isOwner,
                    known.insert(end.index).inserted
                else { return nil }
                let table = layout.joinTable(end)
                let names = [
                    table.sourceColumn, table.destinationColumn, table.placeColumn,
                    table.inversePlaceColumn,
                ]
                let columns = names.compactMap(\.self).map {
                    TableForm.Column(
                        name: $0.serverName, kind: .integer, entity: entity.name,
                        property: property.name)
                }
                return TableForm(
                    name: table.name.serverName, columns: columns,
                    uniqueKeys: [[table.sourceColumn, table.destinationColumn].map(\.serverName)],
                    entity: entity.name, property: property.name)
            }
        }
    }
}

extension ManagedObjectModel {
    /// The numbers of the entities in a store, by entity index. Entities that the store does not hold
    /// get unused ones.
    ///
    /// - Parameters:
    ///   - entries: The numbers and names in `z_primarykey`.
    ///   - names: The entities that the store must have.
    /// - Throws: `StoreError` with `missingEntity`; `PostgreSQLError` for other values.
    func numbers(_ entries: Rows, requiring names: Set<String>) throws -> [Int64] {
        var known: [String: Int64] = [:]
        for row in 0..<entries.count {
            known[try entries.text(row, 1)] = try entries.integer(row, 0)
        }
        var next = max(known.values.max() ?? 0, Int64(entities.count))
        return try entities.map { entity in
            if let number = known[entity.name] { return number }
            guard !names.contains(entity.name) else {
                throw StoreError(.missingEntity(entity.name))
            }
            next += 1
            return next
        }
    }
}

extension String {
    /// The name as the server has it: without quotation marks, it folds A to Z.
    var serverName: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
#endif
