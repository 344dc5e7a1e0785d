/// The names of columns and join tables, as Core Data gives them (spec §8.3, §8.4).
struct ColumnNaming {
    private struct Key: Hashable {
        let entity: Int
        let property: String
    }

    private var columns: [Key: String] = [:]
    private var entityColumns: [Key: String] = [:]

    init() {}

    /// `Z` and the upper-case name; names that become equal get the suffixes 1, 2, …
    init(assembly: ModelAssembly) {
        for root in assembly.rootIndexes {
            var taken: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]
            for owner in assembly.columnOwners(ofRoot: root) {
                let key = Key(entity: owner.entity, property: owner.name)
                let name = owner.name.uppercased()
                columns[key] = Self.unused("Z" + name, in: &taken)
                if owner.isRelationship,
                    let number = assembly.polymorphicDestinationNumber(
                        of: owner.name, in: owner.entity)
                {
                    entityColumns[key] = Self.unused("Z\(number)_\(name)", in: &taken)
                }
            }
        }
    }

    func column(of property: String, in entity: Int) -> String {
        columns[Key(entity: entity, property: property)]!
    }

    func entityColumn(of property: String, in entity: Int) -> String {
        entityColumns[Key(entity: entity, property: property)]!
    }

    /// The join table of a to-many relationship as seen from `end`, whose inverse may be missing.
    ///
    /// The end with the smaller entity number names the table; of two ends in one entity, the later in name order.
    func joinTable(
        _ end: (entity: Int, name: String), _ inverse: (entity: Int, name: String)?
    ) -> JoinTable {
        let (number, name) = (end.entity + 1, end.name.uppercased())
        guard let inverse else {
            return JoinTable(
                table: "Z_\(number)\(name)", sourceColumn: "Z_\(number)SOURCE",
                destinationColumn: "Z_DESTINATION", isOwner: true)
        }
        let (otherNumber, otherName) = (inverse.entity + 1, inverse.name.uppercased())
        if number == otherNumber, name == otherName {
            return JoinTable(
                table: "Z_\(number)\(name)", sourceColumn: "Z_\(number)\(name)",
                destinationColumn: "REFLEXIVE", isOwner: true)
        }
        let isOwner = number < otherNumber || (number == otherNumber && name > otherName)
        return JoinTable(
            table: isOwner ? "Z_\(number)\(name)" : "Z_\(otherNumber)\(otherName)",
            sourceColumn: "Z_\(number)\(otherName)", destinationColumn: "Z_\(otherNumber)\(name)",
            isOwner: isOwner)
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
