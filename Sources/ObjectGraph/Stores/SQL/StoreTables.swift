/// The statements that create the tables of a SQL store and the indexes that all databases have
/// (spec §8.3, §8.4).
package struct StoreTables {
    private let layout: StoreLayout
    private let entityNames: Set<String>
    private var model: ManagedObjectModel { layout.model }
    private var dialect: any SQLDialect { layout.dialect }

    /// - Parameter entityNames: The entities that the store holds; entities that share a table with
    ///   one of them have columns too.
    package init(_ layout: StoreLayout, entityNames: Set<String>) {
        self.layout = layout
        self.entityNames = entityNames
    }

    /// The roots of the tables.
    private var roots: [Entity] { model.rootsOfTables(holding: entityNames) }

    /// Every entity that shares a table with one that the store holds.
    private var entities: [Entity] { roots.flatMap { model.entities[$0.familyIndexes] } }

    /// The statements that make a store of nothing, in order.
    package var statements: [String] {
        get throws {
            var statements = bookkeeping + roots.map { table(of: $0) }
            for entity in entities { statements += try indexes(of: entity) }
            return statements + joinTables
        }
    }

    // MARK: - Tables

    /// The tables for the numbers of entities and rows, the metadata, and the model.
    var bookkeeping: [String] {
        let (integer, text) = (dialect.columnType("INTEGER"), dialect.columnType("VARCHAR"))
        let blob = dialect.columnType("BLOB")
        let identifier = dialect.columnType("VARCHAR(255)")
        return [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT \(integer) PRIMARY KEY, Z_NAME \(text), Z_SUPER \(integer), Z_MAX \(integer))",
            "CREATE TABLE Z_METADATA (Z_VERSION \(integer) PRIMARY KEY, Z_UUID \(identifier), Z_PLIST \(blob))",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT \(blob))",
        ]
    }

    /// - Parameter others: Columns that the model does not describe.
    func table(
        of root: Entity, besides others: [(name: String, type: String)] = []
    ) -> String {
        let integer = dialect.columnType("INTEGER")
        let all =
            ["Z_PK \(integer) PRIMARY KEY", "Z_ENT \(integer)", "Z_OPT \(integer)"]
            + (columns(of: root) + others).map { "\($0.name) \($0.type)" } + checks(of: root)
        return "CREATE TABLE \(layout.table(of: root)) (\(all.joined(separator: ", ")))"
    }

    /// A program that inserts rows without the folded texts gets an error.
    private func checks(of root: Entity) -> [String] {
        var checks: [String] = []
        for entity in model.entities[root.familyIndexes] {
            for slot in entity.properties.compactMap(\.slot) {
                for folded in layout.foldedColumns(slot, of: entity) {
                    let own = layout.column(slot, of: entity)
                    let check = "CHECK ((\(own) IS NULL) = (\(folded.name) IS NULL))"
                    if !checks.contains(check) { checks.append(check) }
                }
            }
        }
        return checks
    }

    /// The columns for the properties of the root and its descendants.
    func columns(of root: Entity) -> [(name: String, type: String)] {
        var columns: [(name: String, type: String, rank: Int)] = []
        var seen: Set<String> = []
        for entity in model.entities[root.familyIndexes] {
            for property in entity.properties {
                guard let slot = property.slot else { continue }
                let type = property.attributeType?.columnType ?? "INTEGER"
                for slot in [slot, property.entitySlot].compactMap(\.self) {
                    let column = layout.column(slot, of: entity)
                    guard seen.insert(column).inserted else { continue }
                    columns.append((column, dialect.columnType(type), Self.rank[type]!))
                    for folded in layout.foldedColumns(slot, of: entity) {
                        columns.append((folded.name, dialect.columnType(type), Self.rank[type]!))
                    }
                }
            }
        }
        for column in layout.namesOfOwnerColumns(of: root) {
            columns.append((column, dialect.columnType("INTEGER"), Self.rank["INTEGER"]!))
        }
        // Narrow columns come first, since databases read a row from its start (and as in Core
        // Data, spec §8.3).
        return columns.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }.map { ($0.element.name, $0.element.type) }
    }

    private static let rank = [
        "INTEGER": 0, "TIMESTAMP": 1, "FLOAT": 1, "DECIMAL": 2, "VARCHAR": 3, "BLOB": 4,
    ]

    /// The join tables of the store's relationships, each with its index.
    var joinTables: [String] {
        var made: Set<Int> = []
        return entities.flatMap(\.properties).flatMap { property -> [String] in
            guard case .joinTable(let end) = property.relationship?.storage, end.isOwner,
                made.insert(end.index).inserted
            else { return [] }
            let join = layout.joinTable(end)
            return join.isInRows ? [] : [table(of: join), index(of: join)]
        }
    }

    /// - Parameter join: The table as the owning end sees it.
    func table(of join: JoinTable) -> String {
        let integer = dialect.columnType("INTEGER")
        let (first, second) = (join.sourceColumn, join.destinationColumn)
        let places = [join.placeColumn, join.inversePlaceColumn].compactMap { column in
            column.map { "\($0) \(integer), " }
        }.joined()
        return
            "CREATE TABLE \(join.name) (\(first) \(integer), \(second) \(integer), \(places)PRIMARY KEY (\(first), \(second)))"
    }

    func index(of join: JoinTable) -> String {
        let (first, second) = (join.sourceColumn, join.destinationColumn)
        let name = dialect.name("\(join.name)_\(second)_INDEX")
        return "CREATE INDEX \(name) ON \(join.name) (\(second), \(first))"
    }

    // MARK: - Indexes

    /// The statements that create the indexes of the entity itself, without those of ancestors.
    private func indexes(of entity: Entity) throws -> [String] {
        let binary = entity.description.indexes.filter { $0.kind == .binary }
        return standardIndexes(of: entity) + (try binary.map { try binaryIndex($0, of: entity) })
            + uniqueIndexes(of: entity)
    }

    /// The indexes of entity numbers and foreign keys.
    func standardIndexes(of entity: Entity) -> [String] {
        let table = layout.table(of: entity)
        var statements: [String] = []
        if entity.rootIndex == entity.index, entity.hasDescendants {
            statements.append(
                "CREATE INDEX \(dialect.name("\(table)_Z_ENT_INDEX")) ON \(table) (Z_ENT)")
        }
        for property in entity.properties
        where property.kind == .toOne && property.declaringEntityIndex == entity.index {
            let column = layout.column(of: property)
            statements.append(
                "CREATE INDEX \(dialect.name("\(table)_\(column)_INDEX")) ON \(table) (\(column))")
        }
        guard entity.rootIndex == entity.index else { return statements }
        for column in layout.ownerColumns(of: entity).map(\.join.sourceColumn) {
            statements.append("CREATE INDEX \(table)_\(column)_INDEX ON \(table) (\(column))")
        }
        return statements
    }

    /// The columns of each uniqueness constraint of the entity itself.
    package func uniqueKeys(of entity: Entity) -> [[String]] {
        entity.description.uniquenessConstraints.map { $0.map { column($0, of: entity) } }
    }

    /// The indexes that enforce uniqueness constraints.
    func uniqueIndexes(of entity: Entity) -> [String] {
        zip(entity.description.uniquenessConstraints, uniqueKeys(of: entity)).map {
            constraint, columns in
            let elements = columns.map { dialect.indexElement($0, isAscending: true) }
            let name = dialect.name(Self.nameOfIndex(constraint, of: entity))
            return
                "CREATE UNIQUE INDEX \(name) ON \(layout.table(of: entity)) (\(elements.joined(separator: ", ")))"
        }
    }

    /// The name of the index that enforces a uniqueness constraint, before a dialect shortens it.
    static func nameOfIndex(_ constraint: [String], of entity: Entity) -> String {
        "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))"
    }

    /// The index of the model's values.
    ///
    /// - Throws: An error if the condition of a partial index cannot be written as SQL for an
    ///   index.
    func binaryIndex(_ index: FetchIndexDescription, of entity: Entity) throws -> String {
        let elements = index.elements.map { element in
            let property = entity.property(at: element.property)!
            var value = layout.column(of: property)
            if element.folding != .none {
                value =
                    layout.foldedColumn(of: property, element.folding.options)
                    ?? "OGFold(\(value), \(element.folding.rawValue))"
            }
            return dialect.indexElement(value, isAscending: element.isAscending)
        }
        let name = dialect.name("Z_\(entity.name)_\(index.name)")
        let list = elements.joined(separator: ", ")
        return
            "CREATE INDEX \(name) ON \(layout.table(of: entity)) (\(list))\(try condition(of: index, entity))"
    }

    /// The condition of a partial index. It can have neither parameters nor a table alias.
    private func condition(
        of index: FetchIndexDescription, _ entity: Entity
    ) throws -> String {
        guard let format = index.partialIndexPredicate else { return "" }
        var resolver = ConditionResolver(entity: entity, model: model)
        resolver.allowsSearches = false
        var writer = SQLConditionWriter(
            entity: entity, layout: layout, followsRelationships: false)
        var text = SQLText()
        do {
            let predicate = try ObjectPredicate(readOnce: format)
            try writer.write(resolver.condition(predicate), to: &text)
        } catch FetchError.inMemoryOnly where !dialect.requiresConditionOfIndex {
            return ""
        }
        var condition = SQLText()
        condition.append(text) { $0.replacing("t0.", with: "") }
        return " WHERE \(condition.inlined(for: dialect))"
    }

    private func column(_ property: String, of entity: Entity) -> String {
        layout.column(of: entity.property(at: property)!)
    }
}

extension ManagedObjectModel {
    /// The roots of the tables of a store that holds the entities with these names.
    package func rootsOfTables(holding entityNames: Set<String>) -> [Entity] {
        rootEntities.filter { root in
            entities[root.familyIndexes].contains { entityNames.contains($0.name) }
        }
    }
}
