/// The columns that a SELECT must list so that its rows become rows of an entity and its descendants.
struct RowSelection: Sendable {
    /// The select list, for the table alias `t0`.
    let columns: String
    private let entities: [Entity]

    /// For each entity of the family, the column of each slot.
    private let columnIndexes: [[Int32]]

    /// - Parameter includesSubentities: Whether rows of descendants come as well; each row is then read as its own entity.
    init(_ entity: Entity, includesSubentities: Bool, model: ManagedObjectModel) {
        let family = includesSubentities ? Array(model.entities[entity.familyIndexes]) : [entity]
        var names = ["Z_PK", "Z_OPT"] + (family.count > 1 ? ["Z_ENT"] : [])
        var positions: [String: Int32] = [:]
        for column in family.flatMap(\.columns) where positions[column] == nil {
            positions[column] = Int32(names.count)
            names.append(column)
        }
        columns = names.map { "t0." + $0 }.joined(separator: ", ")
        entities = family
        columnIndexes = family.map { $0.columns.map { positions[$0]! } }
    }

    /// Copies the current row of the statement into a slab.
    @inline(__always)
    func readRow(of statement: Statement, into writer: inout RowWriter) -> RowReference {
        var position = 0
        if entities.count > 1 {
            position = Int(statement.value(at: 2).integer) - 1 - entities[0].index
            // A row of an entity that the model does not have is read as one of the root entity.
            if !entities.indices.contains(position) { position = 0 }
        }
        let entity = entities[position]
        let indexes = columnIndexes[position]
        writer.begin(
            entity.layout, key: statement.value(at: 0).integer,
            version: UInt32(truncatingIfNeeded: statement.value(at: 1).integer),
            entityNumber: UInt32(entity.index + 1))
        let kinds = entity.layout.slotKinds
        for slot in 0..<kinds.count {
            let value = statement.value(at: indexes[slot])
            if value.isNull { continue }
            switch kinds[slot] {
            case .integer: writer.set(slot, integer: value.integer)
            case .real: writer.set(slot, real: value.real)
            case .text: writer.set(slot, bytes: value.text)
            case .blob: writer.set(slot, bytes: value.blob)
            }
        }
        return writer.finish()
    }
}
