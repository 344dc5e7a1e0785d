import ObjectGraph

/// The tables and columns of a store in plain SQL, found by Core Data's naming rules and without
/// the engine, so that its answers can be checked.
struct StoreTables {
    private let model: ManagedObjectModel
    private let tables: Set<String>
    private let columns: [String: Set<String>]
    private let numbers: [String: Int]

    init(_ store: StoreReader, _ model: ManagedObjectModel) throws {
        self.model = model
        func list(_ sql: String) throws -> [Substring] {
            try store.text(sql).split(separator: "\n")
        }
        let tables = Set(
            try list("SELECT group_concat(name, char(10)) FROM sqlite_master WHERE type = 'table'")
                .map(String.init))
        self.tables = tables
        numbers = Dictionary(
            try list(
                "SELECT group_concat(Z_ENT || ' ' || Z_NAME, char(10)) FROM Z_PRIMARYKEY"
            ).compactMap { line in
                let parts = line.split(separator: " ")
                return Int(parts[0]).map { (String(parts[1]), $0) }
            }
        ) { first, _ in first }
        var columns: [String: Set<String>] = [:]
        for table in tables {
            columns[table] = Set(
                try list("SELECT group_concat(name, char(10)) FROM pragma_table_info('\(table)')")
                    .map(String.init))
        }
        self.columns = columns
    }

    // MARK: Entities

    /// The table of an entity's rows; nil if the store has it under another name.
    func table(of entity: String) -> String? {
        let name = "Z" + root(of: entity).uppercased()
        return tables.contains(name) ? name : nil
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
            .filter { $0.uppercased() == path.property.uppercased() }
        guard sharing.count == 1, let table = table(of: path.entity) else { return nil }
        let name = "Z" + path.property.uppercased()
        return columns[table]?.contains(name) == true ? name : nil
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
