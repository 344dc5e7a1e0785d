/// The names of tables and columns, as in Core Data (spec §8.3, §8.4). Names that are equal in
/// upper case get the suffixes 1, 2, ….
struct ColumnNaming {
    private struct Key: Hashable {
        let entity: Int
        let property: String
    }

    private var tables: [Int: String] = [:]
    private var columns: [Key: String] = [:]
    private var entityColumns: [Key: String] = [:]
    private var placeColumns: [Key: String] = [:]
    private var joinTables: [Key: JoinTable] = [:]

    init() {}

    init(assembly: ModelAssembly) {
        // Names begin with a letter, so no table can collide with the store's own tables.
        var takenTables: Set<String> = []
        for root in assembly.rootIndexes {
            tables[root] = Self.unused(
                "Z" + assembly.ordered[root].description.name.uppercased(), in: &takenTables)
            nameColumns(ofRoot: root, assembly)
        }
        nameJoinTables(assembly, &takenTables)
    }

    func table(of root: Int) -> String { tables[root]! }

    func column(of property: String, in entity: Int) -> String {
        columns[Key(entity: entity, property: property)]!
    }

    func entityColumn(of property: String, in entity: Int) -> String {
        entityColumns[Key(entity: entity, property: property)]!
    }

    /// The column for an object's place in the ordered relationship at the other end of a to-one
    /// relationship.
    func placeColumn(of property: String, in entity: Int) -> String {
        placeColumns[Key(entity: entity, property: property)]!
    }

    func joinTable(of property: String, in entity: Int) -> JoinTable {
        joinTables[Key(entity: entity, property: property)]!
    }

    // MARK: - Naming

    private mutating func nameColumns(ofRoot root: Int, _ assembly: ModelAssembly) {
        var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
        for entity in root...assembly.lastDescendants[root] {
            let description = assembly.ordered[entity].description
            for attribute in description.attributes where !attribute.isTransient {
                columns[Key(entity: entity, property: attribute.name)] = Self.unused(
                    "Z" + attribute.name.uppercased(), in: &taken)
            }
            for relationship in description.relationships where !relationship.isToMany {
                let key = Key(entity: entity, property: relationship.name)
                let name = relationship.name.uppercased()
                columns[key] = Self.unused("Z" + name, in: &taken)
                if let number = assembly.polymorphicDestinationNumber(of: relationship) {
                    entityColumns[key] = Self.unused("Z\(number)_\(name)", in: &taken)
                }
                if assembly.hasPlaceInOrder(relationship) {
                    placeColumns[key] = Self.unused("Z_FOK_\(name)", in: &taken)
                }
            }
        }
    }

    private mutating func nameJoinTables(_ assembly: ModelAssembly, _ taken: inout Set<String>) {
        for entity in assembly.ordered.indices {
            for relationship in assembly.ordered[entity].description.relationships
            where relationship.isToMany {
                let key = Key(entity: entity, property: relationship.name)
                let inverse = assembly.inverse(of: relationship)
                guard joinTables[key] == nil, inverse?.description.isToMany ?? true else {
                    continue
                }
                name((entity, relationship), inverse, &taken)
            }
        }
    }

    /// The end with the smaller entity number names the table. If both ends are in one entity, the
    /// ordered one does, otherwise the later one in name order.
    private mutating func name(
        _ end: ModelAssembly.Declaration, _ inverse: ModelAssembly.Declaration?,
        _ taken: inout Set<String>
    ) {
        guard let inverse else {
            name(end, "\(end.entity + 1)SOURCE", "DESTINATION", &taken)
            return
        }
        if end.entity == inverse.entity, end.description.name == inverse.description.name {
            let own = "\(end.entity + 1)\(end.description.name.uppercased())"
            name(end, own, "REFLEXIVE", &taken)
            return
        }
        let isFirst =
            if end.entity != inverse.entity {
                end.entity < inverse.entity
            } else if end.description.isOrdered != inverse.description.isOrdered {
                end.description.isOrdered
            } else {
                end.description.name.uppercased() > inverse.description.name.uppercased()
            }
        let (owner, other) = isFirst ? (end, inverse) : (inverse, end)
        let source = "\(owner.entity + 1)\(other.description.name.uppercased())"
        var destination = "\(other.entity + 1)\(owner.description.name.uppercased())"
        if source == destination { destination += "1" }
        let table = name(owner, source, destination, &taken)
        joinTables[Key(entity: other.entity, property: other.description.name)] = JoinTable(
            table: table.table, sourceColumn: table.destinationColumn,
            destinationColumn: table.sourceColumn,
            placeColumn: other.description.isOrdered ? "Z_FOK_\(source)" : nil,
            inversePlaceColumn: table.placeColumn, isOwner: false)
        joinTables[Key(entity: owner.entity, property: owner.description.name)] = JoinTable(
            table: table.table, sourceColumn: table.sourceColumn,
            destinationColumn: table.destinationColumn, placeColumn: table.placeColumn,
            inversePlaceColumn: other.description.isOrdered ? "Z_FOK_\(source)" : nil,
            isOwner: true)
    }

    /// - Parameters: The column names without their prefix.
    @discardableResult
    private mutating func name(
        _ owner: ModelAssembly.Declaration, _ source: String, _ destination: String,
        _ taken: inout Set<String>
    ) -> JoinTable {
        let name = "Z_\(owner.entity + 1)\(owner.description.name.uppercased())"
        let table = JoinTable(
            table: Self.unused(name, in: &taken), sourceColumn: "Z_\(source)",
            destinationColumn: destination == "REFLEXIVE" ? destination : "Z_\(destination)",
            placeColumn: owner.description.isOrdered ? "Z_FOK_\(destination)" : nil,
            inversePlaceColumn: nil, isOwner: true)
        joinTables[Key(entity: owner.entity, property: owner.description.name)] = table
        return table
    }

    private static func unused(_ name: String, in taken: inout Set<String>) -> String {
        var candidate = name
        var suffix = 0
        while !taken.insert(candidate).inserted {
            suffix += 1
            candidate = "\(name)\(suffix)"
        }
        return candidate
    }
}
