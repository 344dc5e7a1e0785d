/// What becomes of the pairs of one relationship (spec §9.2).
///
/// Pairs that are stored in another way than before are first gathered in a temporary table: in a
/// join table instead of a foreign key, or with places that they did not have.
struct RelationshipMigration {
    /// A relationship of the old model that has the pairs.
    private struct Origin {
        let property: Property
        /// Whether it is the other end.
        let isReversed: Bool
    }

    private enum Form {
        /// Nothing changes, or the table of the entity has the pairs.
        case kept
        case renamed(from: JoinTable)
        case gathered
    }

    private let property: Property
    private let entity: Entity
    private let origins: [Origin]
    private let form: Form
    private let source: StoreLayout
    private let target: StoreLayout

    /// - Parameters:
    ///   - property: A to-one relationship, or the end of another that owns the join table.
    ///   - entity: The entity that declares it.
    ///   - isStored: Whether the old store has the rows of an entity.
    init(
        _ property: Property, of entity: Entity, _ correspondence: ModelCorrespondence,
        from source: StoreLayout, to target: StoreLayout, isStored: (Entity) -> Bool
    ) {
        self.property = property
        self.entity = entity
        self.source = source
        self.target = target
        func formers(_ property: Property, _ entity: Entity) -> [Property] {
            var found: [Property] = []
            for member in correspondence.destination.entities[entity.familyIndexes] {
                guard let old = correspondence.source(of: member), isStored(old),
                    let former = correspondence.source(of: property, in: member),
                    !found.contains(where: { $0.identifier == former.identifier })
                else { continue }
                found.append(former)
            }
            return found
        }
        let forward = formers(property, entity)
        var origins = forward.map { Origin(property: $0, isReversed: false) }
        let relationship = property.relationship!
        if let inverse = target.model.inverse(of: relationship),
            inverse.identifier != property.identifier
        {
            for former in formers(inverse, target.model.destination(of: relationship)) {
                let other = source.model.inverse(of: former.relationship!)
                guard !forward.contains(where: { $0.identifier == other?.identifier }) else {
                    continue
                }
                origins.append(Origin(property: former, isReversed: true))
            }
        }
        self.origins = origins
        let destination = target.model.destination(of: relationship)
        let formerTables = Set(
            correspondence.destination.entities[destination.familyIndexes]
                .compactMap { correspondence.source(of: $0) }.filter(isStored)
                .map { source.table(of: $0) })
        form = Self.form(property, origins, formerTables, from: source, to: target)
    }

    private static func isOneToOne(_ property: Property, _ model: ManagedObjectModel) -> Bool {
        property.kind == .toOne && model.inverse(of: property.relationship!)?.kind == .toOne
    }

    /// - Parameter formerTables: The tables that the destinations had.
    private static func form(
        _ property: Property, _ origins: [Origin], _ formerTables: Set<String>,
        from source: StoreLayout, to target: StoreLayout
    ) -> Form {
        guard !origins.isEmpty else { return .kept }
        guard case .joinTable(let end) = property.relationship!.storage else {
            let isOneToOne = isOneToOne(property, target.model)
            let isInRows = origins.allSatisfy { origin in
                !origin.isReversed && origin.property.kind == .toOne
                    && (!isOneToOne || self.isOneToOne(origin.property, source.model))
            }
            return isInRows ? .kept : .gathered
        }
        guard origins.count == 1, !origins[0].isReversed,
            case .joinTable(let formerEnd) = origins[0].property.relationship!.storage,
            formerEnd.isOwner
        else { return .gathered }
        let (former, join) = (source.joinTable(formerEnd), target.joinTable(end))
        guard former.isInRows == join.isInRows,
            !join.isInRows || formerTables == [former.name]
        else { return .gathered }
        guard (former.placeColumn == nil) == (join.placeColumn == nil),
            (former.inversePlaceColumn == nil) == (join.inversePlaceColumn == nil)
        else { return .gathered }
        return join.isInRows || former == join ? .kept : .renamed(from: former)
    }

    /// The new join table; nil for a relationship in a column.
    var join: JoinTable? {
        guard let found = joinOrColumns, !found.isInRows else { return nil }
        return found
    }

    private var joinOrColumns: JoinTable? {
        guard case .joinTable(let end) = property.relationship!.storage else { return nil }
        return target.joinTable(end)
    }

    /// The old join table that goes on, perhaps under other names; nil if none does.
    var formerJoin: JoinTable? {
        switch form {
        case .kept: origins.isEmpty ? nil : join
        case .renamed(let former): former
        case .gathered: nil
        }
    }

    var isGathered: Bool { if case .gathered = form { true } else { false } }

    /// The relationship with the entity that declares it.
    var name: String { "\(entity.name).\(property.name)" }

    /// The table of the rows that have the relationship.
    var table: String { joinOrColumns?.name ?? target.table(of: entity) }

    /// The table that has the pairs before; nil if there were none.
    var tableOfFormerPairs: String? {
        guard let origin = origins.first else { return nil }
        let relationship = origin.property.relationship!
        let owner = source.model.entities[origin.property.declaringEntityIndex]
        return switch relationship.storage {
        case .foreignKey: source.table(of: owner)
        case .inverseForeignKey: source.table(of: source.model.destination(of: relationship))
        case .joinTable(let end): source.joinTable(end).name
        }
    }

    private static func suffix(_ property: Property) -> String {
        "\(property.declaringEntityIndex)_\(property.index)"
    }

    private var suffix: String { Self.suffix(property) }
    private var pairs: String { "temp.Z_PAIRS_\(suffix)" }
    private var aside: String { "Z_OLD_PAIRS_\(suffix)" }

    // MARK: - Before the old tables change

    /// The statements that gather the pairs and make room for new names.
    var preparations: [String] {
        switch form {
        case .kept: []
        case .renamed(let former):
            former.name == join!.name ? [] : ["ALTER TABLE \(former.name) RENAME TO \(aside)"]
        case .gathered:
            first == nil ? gathering(origins.map(select).joined(separator: " UNION ALL ")) : []
        }
    }

    private func gathering(_ rows: String) -> [String] {
        [
            "CREATE TEMP TABLE Z_PAIRS_\(suffix) AS SELECT * FROM (\(rows)) ORDER BY owner, place, member",
            "CREATE INDEX temp.Z_PAIRS_\(suffix)_INDEX ON Z_PAIRS_\(suffix) (owner, place, member)",
        ]
    }

    /// The end of a one-to-one relationship whose pairs this end takes over; nil for all others.
    private var first: Property? {
        guard Self.isOneToOne(property, target.model),
            let inverse = target.model.inverse(of: property.relationship!)
        else { return nil }
        let (own, other) = (
            (property.declaringEntityIndex, property.index),
            (inverse.declaringEntityIndex, inverse.index)
        )
        return other < own ? inverse : nil
    }

    /// The statements that leave the pairs to be stored: without those of rows that are gone, and
    /// in a one-to-one relationship only the first of each object.
    ///
    /// - Parameter roots: The roots of the tables that have lost rows.
    private func selection(without roots: Set<Int>) -> [String] {
        if let first {
            return gathering(
                "SELECT member AS owner, owner AS member, inverse_place AS place, place AS inverse_place FROM temp.Z_PAIRS_\(Self.suffix(first))"
            )
        }
        var statements: [String] = []
        if isConcerned(by: roots) {
            statements.append(
                "DELETE FROM \(pairs) WHERE \(isGone("owner", entity)) OR \(isGone("member", destination))"
            )
        }
        guard Self.isOneToOne(property, target.model) else { return statements }
        return statements
            + ["member", "owner"].map { end in
                "DELETE FROM \(pairs) WHERE rowid NOT IN (SELECT min(rowid) FROM \(pairs) GROUP BY \(end))"
            }
    }

    private func select(_ origin: Origin) -> String {
        let property = origin.property
        let relationship = property.relationship!
        func row(_ owner: String, _ member: String, _ place: String?, _ inversePlace: String?)
            -> String
        {
            let (place, inversePlace) = (place ?? "NULL", inversePlace ?? "NULL")
            return origin.isReversed
                ? "SELECT \(member) AS owner, \(owner) AS member, \(inversePlace) AS place, \(place) AS inverse_place"
                : "SELECT \(owner) AS owner, \(member) AS member, \(place) AS place, \(inversePlace) AS inverse_place"
        }
        func place(of property: Property, in entity: Entity) -> String? {
            entity.place(of: property).map { source.column(of: $0) }
        }
        switch relationship.storage {
        case .foreignKey:
            let owner = source.model.entities[property.declaringEntityIndex]
            let key = source.column(of: property)
            return
                "\(row("Z_PK", key, nil, place(of: property, in: owner))) FROM \(source.table(of: owner)) WHERE \(key) NOT NULL"
        case .inverseForeignKey(let index):
            let destination = source.model.destination(of: relationship)
            let inverse = destination.properties[index]
            let key = source.column(of: inverse)
            return
                "\(row(key, "Z_PK", place(of: inverse, in: destination), nil)) FROM \(source.table(of: destination)) WHERE \(key) NOT NULL"
        case .joinTable(let end):
            let join = source.joinTable(end)
            // Rows have no owner too, pairs always have.
            let isPair = join.isInRows ? " WHERE \(join.sourceColumn) NOT NULL" : ""
            return
                "\(row(join.sourceColumn, join.destinationColumn, join.placeColumn, join.inversePlaceColumn)) FROM \(join.name)\(isPair)"
        }
    }

    // MARK: - After the tables of entities have changed

    /// The statements that store the pairs.
    ///
    /// - Parameter roots: The roots of the tables that have lost rows.
    func statements(_ tables: StoreTables, without roots: Set<Int>) -> [String] {
        switch form {
        case .gathered: selection(without: roots) + storage(tables)
        case .kept, .renamed: storage(tables) + removals(from: roots)
        }
    }

    private func storage(_ tables: StoreTables) -> [String] {
        guard let join else { return joinOrColumns.map(ownerColumns) ?? keys }
        switch form {
        case .kept: return origins.isEmpty ? [tables.table(of: join), tables.index(of: join)] : []
        case .renamed(let former): return renaming(of: former, to: join) + [tables.index(of: join)]
        case .gathered:
            let columns = [
                (join.sourceColumn, "owner"), (join.destinationColumn, "member"),
                (join.placeColumn, "place"), (join.inversePlaceColumn, "inverse_place"),
            ].compactMap { column, value in column.map { ($0, value) } }
            return [
                tables.table(of: join),
                "INSERT OR IGNORE INTO \(join.name) (\(columns.map(\.0).joined(separator: ", "))) SELECT \(columns.map(\.1).joined(separator: ", ")) FROM \(pairs) ORDER BY owner, member",
                tables.index(of: join),
            ]
        }
    }

    /// The statement that writes gathered pairs into rows of the destination. A row has room for one
    /// owner: that with the smallest key.
    private func ownerColumns(_ join: JoinTable) -> [String] {
        guard isGathered else { return [] }
        let values = join.placeColumn == nil ? "owner" : "owner, place"
        return [
            "UPDATE \(join.name) SET (\(join.columnsInRows.joined(separator: ", "))) = (SELECT \(values) FROM \(pairs) WHERE member = \(join.name).Z_PK ORDER BY owner, place LIMIT 1) WHERE \(join.sourceColumn) NOT NULL OR Z_PK IN (SELECT member FROM \(pairs))"
        ]
    }

    private func renaming(of former: JoinTable, to join: JoinTable) -> [String] {
        let columns = [
            (former.sourceColumn, join.sourceColumn),
            (former.destinationColumn, join.destinationColumn),
            (former.placeColumn, join.placeColumn),
            (former.inversePlaceColumn, join.inversePlaceColumn),
        ].compactMap { from, to in from.flatMap { from in to.map { (from, $0) } } }
            .filter { $0 != $1 }
        let table = former.name == join.name ? [] : ["ALTER TABLE \(aside) RENAME TO \(join.name)"]
        return table
            + columns.enumerated().map {
                "ALTER TABLE \(join.name) RENAME COLUMN \($1.0) TO Z_OLD_\($0)"
            }
            + columns.enumerated().map {
                "ALTER TABLE \(join.name) RENAME COLUMN Z_OLD_\($0) TO \($1.1)"
            }
    }

    /// The statements that write gathered pairs, and the entities of destinations, into rows.
    private var keys: [String] {
        let table = target.table(of: entity)
        let key = target.column(of: property)
        var statements: [String] = []
        let entityColumn = property.entitySlot.map { target.column($0, of: entity) }
        if isGathered {
            let place = entity.place(of: property).map { target.column(of: $0) }
            let columns = [key, place].compactMap(\.self).joined(separator: ", ")
            let values = place == nil ? "member" : "member, inverse_place"
            let reset = entityColumn.map { ", \($0) = NULL" } ?? ""
            statements.append(
                "UPDATE \(table) SET (\(columns)) = (SELECT \(values) FROM \(pairs) WHERE owner = \(table).Z_PK ORDER BY place, member LIMIT 1)\(reset) WHERE \(key) NOT NULL OR Z_PK IN (SELECT owner FROM \(pairs))"
            )
        }
        if let entityColumn,
            isGathered || origins.contains(where: { $0.property.entitySlot == nil })
        {
            statements.append(
                "UPDATE \(table) SET \(entityColumn) = (SELECT d.Z_ENT FROM \(target.table(of: destination)) d WHERE d.Z_PK = \(table).\(key)) WHERE \(key) NOT NULL AND \(entityColumn) IS NULL"
            )
        }
        return statements
    }

    private var destination: Entity { target.model.destination(of: property.relationship!) }

    private func isConcerned(by roots: Set<Int>) -> Bool {
        roots.contains(entity.rootIndex) || roots.contains(destination.rootIndex)
    }

    /// SQL for whether an entity has no row with a key.
    private func isGone(_ key: String, _ entity: Entity) -> String {
        let numbers = target.numbers(of: entity.familyIndexes).map(String.init)
            .joined(separator: ", ")
        return
            "NOT EXISTS (SELECT 1 FROM \(target.table(of: entity)) d WHERE d.Z_PK = \(key) AND d.Z_ENT IN (\(numbers)))"
    }

    private func removals(from roots: Set<Int>) -> [String] {
        guard isConcerned(by: roots), !origins.isEmpty else { return [] }
        if let join {
            let name = join.name
            return [
                "DELETE FROM \(name) WHERE \(isGone("\(name).\(join.sourceColumn)", entity)) OR \(isGone("\(name).\(join.destinationColumn)", destination))"
            ]
        }
        if let columns = joinOrColumns {
            return [
                "\(columns.removal) WHERE \(columns.sourceColumn) NOT NULL AND \(isGone("\(columns.name).\(columns.sourceColumn)", entity))"
            ]
        }
        let table = target.table(of: entity)
        let key = target.column(of: property)
        let columns =
            [key]
            + [property.entitySlot, entity.place(of: property)?.slot].compactMap { slot in
                slot.map { target.column($0, of: entity) }
            }
        return [
            "UPDATE \(table) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")) WHERE \(key) NOT NULL AND \(isGone("\(table).\(key)", destination))"
        ]
    }

    /// The statements that remove what is no longer needed.
    var cleanUp: [String] { isGathered ? ["DROP TABLE \(pairs)"] : [] }
}
