#if PostgreSQL
import ObjectGraph

// Rows by their keys, and the members of relationships: one statement for any number of owners.
extension PostgreSQLStore {
    func row(_ key: Int64, entity: Entity, _ options: ReadOptions) throws -> RowReference? {
        let selection = selections.rows(of: entity, includesSubentities: false)
        return try read(Command(selections.selectRow(of: entity), [.integer(key)])) {
            try selection.rows(of: $0).map { $0 }.first
        }
    }

    func rows(_ keys: [Int64], entity: Entity) throws -> RowList {
        guard !keys.isEmpty else { return RowList() }
        let selection = selections.rows(of: entity, includesSubentities: true)
        return try read(Command(selections.selectRows(of: entity), [.integers(keys)])) {
            try selection.rows(of: $0)
        }
    }

    func destinations(of property: Property, _ owner: Entity, key: Int64) throws -> [EntityKey] {
        let destination = model.destination(of: property.relationship!)
        guard opened.hasTable[destination.index] else { return [] }
        let command = Command(selections.select(property, owner, .keys), [.integer(key)])
        return try read(command) { try EntityKey.keys(of: $0, destination) }
    }

    func memberRows(
        of property: Property, _ owner: Entity, key: Int64, _ options: ReadOptions
    ) throws -> RowList? {
        let destination = model.destination(of: property.relationship!)
        guard opened.hasTable[destination.index] else { return RowList() }
        let selection = selections.rows(of: destination, includesSubentities: true)
        let command = Command(selections.select(property, owner, .rows), [.integer(key)])
        let rows = try read(command) { try selection.rows(of: $0) }
        return rows.count > EntitySelections.maximumMemberCount ? nil : rows
    }

    func relatedRows(of property: Property, _ owner: Entity, keys: [Int64]) throws -> RelatedRows {
        let destination = model.destination(of: property.relationship!)
        guard !keys.isEmpty, opened.hasTable[destination.index] else {
            return RelatedRows(contents: [:], rows: RowList())
        }
        let selection = selections.rows(of: destination, includesSubentities: true)
        let command = Command(
            selections.select(property, owner, .rowsWithOwner), [.integers(keys)])
        return try read(command) { try selection.relatedRows(of: $0) }
    }
}
#endif
