import ObjectGraph

/// The tables and columns of a store in plain SQL, found by Core Data's naming rules and without
/// the engine, so that its answers can be checked.
///
/// A store that was migrated may have old names, digits behind them, and numbers that no entity has
/// any more. A name counts if nothing else in the store can be meant.
struct StoreTables {
    private let model: ManagedObjectModel
    /// By table.
    private let columns: [String: Set<String>]
    /// The columns of indexes that forbid equal rows, by table.
    private let uniqueColumns: [String: Set<String>]
    /// The first columns of indexes that have all rows, by table.
    private let leadingColumns: [String: Set<String>]
    private let numbers: [String: Int]

    init(_ store: StoreReader, _ model: ManagedObjectModel) throws {
        self.model = model
        func list(_ sql: String) throws -> [String] {
            try store.text(sql).split(separator: "\n").map(String.init)
        }
        var columns: [String: Set<String>] = [:]
        for table in try list(
            "SELECT group_concat(name, char(10)) FROM sqlite_master WHERE type = 'table'")
        {
            columns[table] = Set(
                try list("SELECT group_concat(name, char(10)) FROM pragma_table_info('\(table)')"))
        }
        self.columns = columns
        func indexed(_ condition: String) throws -> [String: Set<String>] {
            try columns.keys.reduce(into: [:]) { indexed, table in
                let found = try list(
                    """
                    SELECT group_concat(c.name, char(10))
                    FROM pragma_index_list('\(table)') i, pragma_index_info(i.name) c
                    WHERE \(condition)
                    """)
                if !found.isEmpty { indexed[table] = Set(found) }
            }
        }
        uniqueColumns = try indexed("i.\"unique\" AND i.origin = 'c'")
        leadingColumns = try indexed("c.seqno = 0 AND NOT i.partial")
        let noted = Dictionary(
            try list(
                "SELECT group_concat(Z_ENT || ' ' || Z_NAME, char(10)) FROM Z_PRIMARYKEY"
            ).compactMap { line in
                let parts = line.split(separator: " ")
                return Int(parts[0]).map { (String(parts[1]), $0) }
            }
        ) { first, _ in first }
        numbers = model.entitiesByName.compactMapValues { entity in
            noted[entity.name]
                ?? entity.renamingIdentifier.flatMap { old in
                    model.entitiesByName[old] == nil ? noted[old] : nil
                }
        }
    }

    /// Whether the store has the tables of a history.
    var haveHistory: Bool { columns["ATRANSACTION"] != nil && columns["ACHANGE"] != nil }

    // MARK: Entities

    /// The table of an entity's rows; nil if the store has it under another name.
    func table(of entity: String) -> String? {
        let root = root(of: entity)
        let names = [root, model.entitiesByName[root]?.renamingIdentifier].compactMap(\.self)
        return names.map { "Z" + $0.uppercased() }.first { columns[$0] != nil }
    }

    /// The columns of indexes that forbid equal rows of the entity, also of those that the model
    /// lacks.
    func uniqueColumns(of entity: String) -> Set<String> {
        table(of: entity).flatMap { uniqueColumns[$0] } ?? []
    }

    /// The columns of the entity's table with which an index begins, so that rows are found and
    /// sorted by it, also of indexes that the model lacks.
    func indexedColumns(of entity: String) -> Set<String> {
        table(of: entity).flatMap { leadingColumns[$0] } ?? []
    }

    /// The value of `Z_ENT` in the rows of exactly this entity; nil if the store does not list it.
    func number(of entity: String) -> Int? { numbers[entity] }

    /// The values of `Z_ENT` of the entity and its descendants, for SQL's `IN`.
    func family(of entity: String) -> String {
        let family = numbers.filter { model.isEntity($0.key, kindOf: entity) }.values.sorted()
        return "(\(family.map(String.init).joined(separator: ", ")))"
    }

    private func root(of entity: String) -> String {
        var name = entity
        while let parent = model.entitiesByName[name]?.superentity { name = parent }
        return name
    }

    // MARK: Properties

    /// The column of an attribute or a to-one relationship; nil if its name is not certain, because
    /// properties of entities that share the table have equal names in upper case.
    func column(of path: PropertyPath) -> String? {
        let root = root(of: path.entity)
        let sharing = model.entitiesByName.values.filter { self.root(of: $0.name) == root }
            .flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
            .map { "Z" + $0.uppercased() }
        let own = "Z" + path.property.uppercased()
        guard sharing.count(where: { $0 == own }) == 1,
            let columns = table(of: path.entity).flatMap({ self.columns[$0] })
        else { return nil }
        if columns.contains(own) { return own }
        let free = columns.subtracting(sharing)
        for name in spellings(of: path).map({ "Z" + $0 }) {
            if free.contains(name) { return name }
            if let column = free.only(where: { $0.isName(name) }) { return column }
        }
        return nil
    }

    /// The property's name and the one before a migration, in upper case.
    private func spellings(of path: PropertyPath) -> [String] {
        let old =
            model.relationshipsByName(ofEntity: path.entity)?[path.property]?.renamingIdentifier
            ?? model.attributesByName(ofEntity: path.entity)?[path.property]?.renamingIdentifier
        return [path.property, old].compactMap { $0?.uppercased() }
    }

    /// SQL that selects `source`, the primary key of the source, and `target`, that of the
    /// destination, for each link of a relationship; nil if names are not certain.
    func links(of path: PropertyPath) -> String? {
        guard let relationship = model.relationshipsByName(ofEntity: path.entity)?[path.property],
            let sources = table(of: path.entity), let targets = table(of: relationship.destination)
        else { return nil }
        let isFamily = "Z_ENT IN \(family(of: path.entity))"
        if !relationship.isToMany {
            return column(of: path).map {
                """
                SELECT s.Z_PK AS source, t.Z_PK AS target FROM \(sources) s JOIN \(targets) t \
                ON t.Z_PK = s.\($0) WHERE s.\(isFamily)
                """
            }
        }
        let inverse = relationship.inverse.map {
            PropertyPath(entity: relationship.destination, property: $0)
        }
        let back = inverse.flatMap {
            model.relationshipsByName(ofEntity: $0.entity)?[$0.property]
        }
        if let inverse, let back, !back.isToMany {
            return column(of: inverse).map {
                """
                SELECT s.Z_PK AS source, t.Z_PK AS target FROM \(targets) t JOIN \(sources) s \
                ON s.Z_PK = t.\($0) WHERE s.\(isFamily)
                """
            }
        }
        return pairs(of: path, inverse: back == nil ? nil : inverse)
    }

    /// The links in a join table; nil for one whose name or columns are not those of the rules. A
    /// relationship that is its own inverse has each pair once or twice, so it is left out too.
    private func pairs(of path: PropertyPath, inverse: PropertyPath?) -> String? {
        guard let number = numbers[declaring(path)], path != inverse else { return nil }
        let name = path.property.uppercased()
        var candidates = ["Z_\(number)\(name)"]
        var (source, target) = ("Z_\(number)SOURCE", "Z_DESTINATION")
        if let inverse {
            guard let other = numbers[declaring(inverse)] else { return nil }
            candidates.append("Z_\(other)\(inverse.property.uppercased())")
            source = "Z_\(number)\(inverse.property.uppercased())"
            target = "Z_\(other)\(name)"
        }
        let table = candidates.first { columns[$0]?.isSuperset(of: [source, target]) == true }
        return table.map { "SELECT \(source) AS source, \(target) AS target FROM \($0)" }
            ?? inverse.flatMap { renumberedPairs(of: path, inverse: $0) }
    }

    /// The links in the only join table whose columns have the names of both ends, behind any
    /// numbers.
    private func renumberedPairs(of path: PropertyPath, inverse: PropertyPath) -> String? {
        let (ends, others) = (spellings(of: path), spellings(of: inverse))
        func column(_ names: [String], in table: String) -> String? {
            columns[table]?.only { column in names.contains { column.isNumberedName($0) } }
        }
        let found = columns.keys.compactMap { table -> String? in
            guard (ends + others).contains(where: { table.isNumberedName($0) }),
                let source = column(others, in: table), let target = column(ends, in: table)
            else { return nil }
            return "SELECT \(source) AS source, \(target) AS target FROM \(table)"
        }
        return found.count == 1 ? found[0] : nil
    }

    /// The name of the entity that declares the property: this one or an ancestor.
    private func declaring(_ path: PropertyPath) -> String {
        var name = path.entity
        while let entity = model.entitiesByName[name],
            !entity.relationships.contains(where: { $0.name == path.property }),
            let parent = entity.superentity
        { name = parent }
        return name
    }
}

extension String {
    /// Whether this is the name, with or without digits behind it.
    fileprivate func isName(_ name: String) -> Bool {
        hasPrefix(name) && dropFirst(name.count).allSatisfy(\.isNumber)
    }

    /// Whether this is `Z_`, a number and the name, as in `Z_12OWNERS`.
    fileprivate func isNumberedName(_ name: String) -> Bool {
        guard hasPrefix("Z_") else { return false }
        let rest = dropFirst(2).drop(while: \.isNumber)
        return rest.count < count - 2 && String(rest).isName(name)
    }
}

extension Set<String> {
    /// The element that satisfies the condition; nil if none or several do.
    fileprivate func only(where condition: (String) -> Bool) -> String? {
        let found = filter(condition)
        return found.count == 1 ? found.first : nil
    }
}
