/// The statements and the columns of the tables of a store, built once.
struct TableStatements: Sendable {
    /// The columns of every entity, alone and with its descendants, by entity index.
    private let selections: [RowSelection]
    private let familySelections: [RowSelection]
    let statements: [EntityStatements]

    /// Whether the store has the entity's table, by entity index. Objects of the store cannot be
    /// related to objects of other configurations, whose tables may be missing (spec §11.1).
    let exist: [Bool]

    /// - Parameter names: the entities of the store's configuration.
    /// - Parameter folder: that of large values; "" without one.
    init(
        _ model: ManagedObjectModel, entityNames names: Set<String>, layout: StoreLayout,
        folder: String
    ) {
        let selections = model.entities.map {
            RowSelection($0, includesSubentities: false, layout: layout, folder: folder)
        }
        self.selections = selections
        familySelections = model.entities.map {
            RowSelection($0, includesSubentities: true, layout: layout, folder: folder)
        }
        statements = model.entities.map {
            EntityStatements($0, selection: selections[$0.index], layout: layout)
        }
        exist = model.haveTables(inStoreOf: names)
    }

    func selection(_ entity: Entity, includesSubentities: Bool) -> RowSelection {
        includesSubentities ? familySelections[entity.index] : selections[entity.index]
    }
}

/// The SQL of the statements about single rows of an entity, built once.
struct EntityStatements: Sendable {
    /// Inserts the rows of `PendingRows`, with version 1.
    let insert: String
    /// Inserts the rows of `PendingRows`, with their versions.
    let insertAgain: String
    let delete: String
    let selectRow: LookUpSQL

    init(_ entity: Entity, selection: RowSelection, layout: StoreLayout) {
        let table = layout.table(of: entity)
        let number = layout.number(of: entity)
        // Triggers give derived attributes their values.
        let derived = Set(
            entity.properties.compactMap { $0.derivation == nil ? nil : $0.slot })
        let slots = (0..<entity.layout.slotCount).filter { !derived.contains($0) }
        let columns =
            ["Z_PK", "Z_ENT", "Z_OPT"] + slots.map { layout.column($0, of: entity) }
        let pending = PendingRows.columns(slotCount: entity.layout.slotCount)
        let values = slots.map { layout.writing(pending.values[$0], $0, of: entity) }
        func insertion(version: String) -> String {
            """
            INSERT INTO \(table) (\(columns.joined(separator: ", "))) \
            SELECT \(([pending.key, "\(number)", version] + values).joined(separator: ", ")) \
            FROM \(PendingRows.tableName)
            """
        }
        insert = insertion(version: "1")
        insertAgain = insertion(version: pending.version)
        delete = "DELETE FROM \(table) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
        // A table that several entities share may have a row of another entity with the key.
        let isShared = entity.hasDescendants || entity.superentityIndex != nil
        selectRow = LookUpSQL(
            selection.columns, from: table, condition: isShared ? "t0.Z_ENT = \(number)" : nil)
    }
}
