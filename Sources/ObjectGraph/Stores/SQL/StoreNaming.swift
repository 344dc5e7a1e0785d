/// Finds or makes the names of a store's tables and columns, and the numbers of its entities (spec
/// §8.3, §8.4).
///
/// The names of a new store follow from the model; names that are equal in upper case get the
/// suffixes 1, 2, …. In an existing file, names are expected by the same rule, from the numbers
/// that its entities have there. What is not where it is expected is looked for under the old name
/// of an entity or a property, with other suffixes and with other numbers, and taken if there is
/// exactly one such table or column.
struct StoreNaming {
    let model: ManagedObjectModel
    let dialect: any SQLDialect
    private let entityNames: Set<String>

    /// By entity index.
    private(set) var numbers: [Int64]
    private(set) var tables: [String]

    /// By entity index and slot.
    private(set) var columns: [[String]]

    /// By the index of the end.
    private(set) var joinTables: [JoinTable?] = []
    private var takenTables = Self.tablesOfStore

    /// The columns of each root's table that have a name, while others get theirs.
    private var takenColumns: [Int: Set<String>] = [:]
    private var finders: [Int: ColumnFinder] = [:]
    private var takenNumbers: Set<Int64> = []

    /// The tables that the store has besides those of entities.
    private static let tablesOfStore: Set<String> = ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"]

    /// The names of a new store.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of its entities, by their index; nil means those of the model.
    ///   - joinTables: The identifiers of relationships without an inverse that keep a join table.
    init(
        _ model: ManagedObjectModel, numbers: [Int64]? = nil, joinTables: Set<UInt32> = [],
        dialect: any SQLDialect = .sqlite
    ) {
        self.init(model, [], dialect)
        if let numbers { self.numbers = numbers }
        for root in model.rootEntities { nameNewTable(of: root) }
        for owner in joinOwners() {
            let isInRows =
                dialect.keepsOwnersInRows && owner.relationship.inverseIndex == nil
                && !joinTables.contains(owner.property.identifier)
            set(isInRows ? makeColumn(owner) : makeTable(owner), of: owner)
        }
    }

    /// The names in a file.
    ///
    /// - Parameter isUnrelatedModel: Whether the file may have been made with another model.
    /// - Throws: `StoreError` for what the file lacks.
    init(
        _ model: ManagedObjectModel, _ catalog: StoreCatalog, entityNames: Set<String>,
        isUnrelatedModel: Bool
    ) throws(StoreError) {
        self.init(model, entityNames, .sqlite)
        for root in model.rootEntities where isStored(root) { try findNumbers(of: root, catalog) }
        for root in model.rootEntities {
            // Nothing asks for the names of what the store does not hold.
            guard isStored(root) else {
                nameNewTable(of: root)
                continue
            }
            try findTable(of: root, catalog, isUnrelatedModel: isUnrelatedModel)
        }
        for owner in joinOwners() {
            let isInFile = [owner.entity, model.destination(of: owner.relationship)].allSatisfy {
                isStored(model.entities[$0.rootIndex])
            }
            guard isInFile else {
                set(makeTable(owner), of: owner)
                continue
            }
            set(
                owner.relationship.inverseIndex == nil
                    ? try findColumnOrTable(owner, catalog) : try findTable(owner, catalog),
                of: owner)
        }
    }

    private init(
        _ model: ManagedObjectModel, _ entityNames: Set<String>, _ dialect: any SQLDialect
    ) {
        self.model = model
        self.dialect = dialect
        self.entityNames = entityNames
        numbers = model.entities.map(\.number)
        tables = Array(repeating: "", count: model.entities.count)
        columns = model.entities.map { Array(repeating: "", count: $0.layout.slotCount) }
    }

    /// Whether the store holds an entity of this root's table.
    private func isStored(_ root: Entity) -> Bool {
        model.entities[root.familyIndexes].contains { entityNames.contains($0.name) }
    }

    // MARK: - Entities

    private mutating func findNumbers(
        of root: Entity, _ catalog: StoreCatalog
    ) throws(StoreError) {
        for entity in model.entities[root.familyIndexes] {
            guard let entry = catalog.entry(for: entity), takenNumbers.insert(entry.number).inserted
            else { throw StoreError(.missingEntity(entity.name)) }
            numbers[entity.index] = entry.number
        }
    }

    // MARK: - Tables of entities

    private mutating func nameNewTable(of root: Entity) {
        setTable(
            Self.unused("Z" + root.name.uppercased(), dialect, in: &takenTables), of: root)
        var taken = ColumnForm.reserved
        for column in wantedColumns(of: root) {
            set(Self.unused(column.form.base(column.name), dialect, in: &taken), for: column)
        }
        takenColumns[root.index] = taken
        inheritColumns(of: root)
    }

    private mutating func findTable(
        of root: Entity, _ catalog: StoreCatalog, isUnrelatedModel: Bool
    ) throws(StoreError) {
        let names = [
            root.name, catalog.entry(for: root)?.name, root.description.renamingIdentifier,
        ].compactMap { $0.map { "Z" + $0.uppercased() } }
        guard
            let found = names.lazy.map(untaken).first(where: { catalog.tables[$0] != nil }),
            let table = catalog.tables[found], ModelAssembly.isName(table.name)
        else { throw StoreError(.missingTable(names[0], entity: root.name, property: nil)) }
        takenTables.insert(found)
        setTable(table.name, of: root)
        var finder = ColumnFinder(table.columns)
        let missing = wantedColumns(of: root).filter { column in
            guard let name = finder.expected(column.form.base(column.name)) else { return true }
            set(name, for: column)
            return false
        }
        for column in missing {
            let old = renamingIdentifier(of: column.property, in: column.entity)
            guard let name = finder.only(column.form, [column.name, old].compactMap(\.self)) else {
                throw StoreError(
                    .missingColumn(
                        column.form.base(column.name), table: table.name,
                        entity: column.entity.name, property: column.label))
            }
            set(name, for: column)
        }
        finders[root.index] = finder
        if isUnrelatedModel { try checkUnknownDescendants(of: root, catalog, finder) }
        inheritColumns(of: root)
    }

    /// Refuses to guess which of two columns belongs to an entity, if the file has descendants of
    /// the root that the model lacks: either may be theirs.
    private func checkUnknownDescendants(
        of root: Entity, _ catalog: StoreCatalog, _ finder: ColumnFinder
    ) throws(StoreError) {
        let known = Set(numbers[root.familyIndexes])
        guard catalog.descendants(of: numbers[root.index]).contains(where: { !known.contains($0) })
        else { return }
        for column in wantedColumns(of: root)
        where column.entity !== root && finder.hasOther(column.form, column.name) {
            throw StoreError(
                .missingColumn(
                    column.form.base(column.name) + ", of which there are several",
                    table: tables[root.index], entity: column.entity.name,
                    property: column.label))
        }
    }

    /// The name with the first suffix that no other table of the store has.
    private func untaken(_ table: String) -> String {
        var taken = takenTables
        return Self.unused(table, dialect, in: &taken)
    }

    private mutating func setTable(_ name: String, of root: Entity) {
        for index in root.familyIndexes { tables[index] = name }
    }

    private mutating func set(_ name: String, for column: WantedColumn) {
        columns[column.entity.index][column.slot] = name
    }

    private mutating func inheritColumns(of root: Entity) {
        for entity in model.entities[root.familyIndexes] {
            guard let parent = entity.superentityIndex else { continue }
            for (slot, name) in columns[parent].enumerated() { columns[entity.index][slot] = name }
        }
    }

    /// A column of the entity that declares the property.
    private struct WantedColumn {
        let entity: Entity
        let property: Property
        let slot: Int
        let form: ColumnForm
        /// The property's name in the file.
        let name: String
        /// The property's name in the model.
        let label: String
    }

    /// The columns in the order in which Core Data names them: by the numbers of the entities,
    /// attributes before to-one relationships.
    private func wantedColumns(of root: Entity) -> [WantedColumn] {
        let family = model.entities[root.familyIndexes].sorted {
            numbers[$0.index] < numbers[$1.index]
        }
        return family.flatMap { entity in
            let declared = entity.properties.filter {
                $0.declaringEntityIndex == entity.index && $0.slot != nil
            }
            func column(
                _ property: Property, _ slot: Int, _ form: ColumnForm, label: String? = nil
            ) -> WantedColumn {
                let label = label ?? property.name
                return WantedColumn(
                    entity: entity, property: property, slot: slot, form: form,
                    name: label.columnSpelling, label: label)
            }
            let places = declared.filter(\.isPlace)
            let attributes = declared.filter { $0.relationship == nil && !$0.isPlace }
            return attributes.map { column($0, $0.slot!, .value) }
                + declared.filter { $0.relationship != nil }.flatMap { property in
                    let number = numbers[property.relationship!.destinationIndex]
                    let place = places.first {
                        $0.name == ModelAssembly.placeName(property.name)
                    }
                    return [
                        column(property, property.slot!, .value),
                        property.entitySlot.map { column(property, $0, .entityNumber(number)) },
                        place.map { column($0, $0.slot!, .place, label: property.name) },
                    ].compactMap(\.self)
                }
        }
    }

    private func renamingIdentifier(of property: Property, in entity: Entity) -> String? {
        let old =
            property.relationship == nil
            ? model.attributeDescription(of: property)?.renamingIdentifier
            : entity.description.relationships.first { $0.name == property.name }?
                .renamingIdentifier
        return old?.columnSpelling
    }

    // MARK: - Join tables

    /// The end of a relationship that owns its join table.
    private struct JoinOwner {
        let entity: Entity
        let property: Property
        let relationship: Relationship
        let end: JoinEnd
    }

    private func joinOwners() -> [JoinOwner] {
        model.entities.flatMap { entity in
            entity.properties.compactMap { property in
                guard property.declaringEntityIndex == entity.index,
                    let relationship = property.relationship,
                    case .joinTable(let end) = relationship.storage, end.isOwner
                else { return nil }
                return JoinOwner(
                    entity: entity, property: property, relationship: relationship, end: end)
            }
        }
    }

    private mutating func set(_ table: JoinTable, of owner: JoinOwner) {
        let missing = owner.end.index + 2 - joinTables.count
        if missing > 0 { joinTables += Array(repeating: nil, count: missing) }
        joinTables[owner.end.index] = table
        joinTables[owner.end.index + 1] = table.reversed
    }

    /// - Parameters:
    ///   - owner: The end that names the table.
    ///   - own: The name of its relationship in upper case; nil means that of the model.
    ///   - other: The same of the inverse.
    private func names(
        of owner: JoinOwner, own: String? = nil, other: String? = nil
    ) -> JoinNames {
        let inverse = model.inverse(of: owner.relationship)
        return JoinNames(
            number: numbers[owner.entity.index], own: own ?? owner.property.name.uppercased(),
            inverseNumber: inverse.map { numbers[$0.declaringEntityIndex] },
            other: inverse.map { other ?? $0.name.uppercased() },
            isReflexive: inverse?.identifier == owner.property.identifier,
            isOrdered: owner.relationship.isOrdered,
            isInverseOrdered: inverse?.relationship?.isOrdered == true)
    }

    private mutating func makeTable(_ owner: JoinOwner) -> JoinTable {
        let names = names(of: owner)
        let (source, destination) = names.columns
        return JoinTable(
            name: Self.unused(names.tables[0], dialect, in: &takenTables),
            sourceColumn: dialect.name(source), destinationColumn: dialect.name(destination),
            placeColumn: names.isOrdered ? dialect.name(names.place(destination)) : nil,
            inversePlaceColumn: names.isInverseOrdered ? dialect.name(names.place(source)) : nil)
    }

    private mutating func findTable(
        _ owner: JoinOwner, _ catalog: StoreCatalog
    ) throws(StoreError) -> JoinTable {
        let old = renamingIdentifier(of: owner.property, in: owner.entity)
        let oldInverse = model.inverse(of: owner.relationship).flatMap {
            renamingIdentifier(of: $0, in: model.entities[$0.declaringEntityIndex])
        }
        // A migration that renamed one end or both may have left the names.
        let ends: [(own: String?, other: String?)] = [
            (nil, nil), (old, nil), (nil, oldInverse), (old, oldInverse),
        ]
        for end in ends {
            let names = names(of: owner, own: end.own, other: end.other)
            func find(_ candidates: [String]) -> (name: String, table: JoinTable)? {
                for name in candidates where !takenTables.contains(name) {
                    if let table = catalog.tables[name].flatMap(names.table) {
                        return (name, table)
                    }
                }
                return nil
            }
            if let found = find(names.tables)
                ?? find(catalog.tables.keys.filter(names.isOther).sorted())
            {
                takenTables.insert(found.name)
                return found.table
            }
        }
        throw StoreError(
            .missingTable(
                names(of: owner).tables[0], entity: owner.entity.name,
                property: owner.property.name))
    }

    // MARK: - Columns in place of join tables

    /// The two columns of a relationship without an inverse, in the destination's table.
    private func columns(
        of owner: JoinOwner, _ name: (ColumnForm) -> String?
    ) -> JoinTable? {
        let destination = model.destination(of: owner.relationship)
        let number = numbers[owner.entity.index]
        guard let key = name(.owner(number)) else { return nil }
        let place = owner.relationship.isOrdered ? name(.placeAtOwner(number)) : nil
        guard (place != nil) == owner.relationship.isOrdered else { return nil }
        return JoinTable(
            name: tables[destination.index], sourceColumn: key, destinationColumn: "Z_PK",
            placeColumn: place, inversePlaceColumn: nil, isInRows: true)
    }

    private mutating func makeColumn(_ owner: JoinOwner) -> JoinTable {
        let root = model.destination(of: owner.relationship).rootIndex
        var taken = takenColumns[root] ?? []
        let name = owner.property.name.columnSpelling
        let made = columns(of: owner) { Self.unused($0.base(name), dialect, in: &taken) }
        takenColumns[root] = taken
        return made!
    }

    /// Finds the columns, or the join table that stores of this engine once had.
    private mutating func findColumnOrTable(
        _ owner: JoinOwner, _ catalog: StoreCatalog
    ) throws(StoreError) -> JoinTable {
        let root = model.destination(of: owner.relationship).rootIndex
        let name = owner.property.name.columnSpelling
        let old = renamingIdentifier(of: owner.property, in: owner.entity)
        var finder = finders[root] ?? ColumnFinder([:])
        defer { finders[root] = finder }
        if let found = columns(of: owner, { finder.expected($0.base(name)) }) { return found }
        if let table = try? findTable(owner, catalog) { return table }
        let names = [name, old].compactMap(\.self)
        if let found = columns(of: owner, { finder.only($0, names) }) { return found }
        throw StoreError(
            .missingColumn(
                ColumnForm.owner(numbers[owner.entity.index]).base(name), table: tables[root],
                entity: owner.entity.name, property: owner.property.name))
    }

    // MARK: - New names

    private static func unused(
        _ name: String, _ dialect: any SQLDialect, in taken: inout Set<String>
    ) -> String {
        var candidate = dialect.name(name)
        var suffix = 0
        while !taken.insert(candidate).inserted {
            suffix += 1
            candidate = dialect.name("\(name)\(suffix)")
        }
        return candidate
    }
}

extension String {
    /// The name of a property, or the key path of an element, as names of columns have it (spec
    /// §1.3).
    fileprivate var columnSpelling: String { uppercased().replacing(".", with: "_") }
}
