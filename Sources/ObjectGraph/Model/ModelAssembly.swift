/// Works a set of entity descriptions out into entities, in named steps: check names, order by inheritance, check
/// relationships, name columns, lay out rows.
struct ModelAssembly {
    private typealias Declaration = (entity: Int, description: RelationshipDescription)

    /// In the order of their numbers, with the index of each superentity.
    private var ordered: [(description: EntityDescription, superentity: Int?, root: Int)] = []
    private var lastDescendants: [Int] = []
    private var indexes: [String: Int] = [:]
    private var ancestries: [[Int]] = []
    private var naming: ColumnNaming

    init(_ descriptions: [EntityDescription]) throws(ModelError) {
        naming = ColumnNaming()
        try order(descriptions)
        try checkProperties()
        naming = ColumnNaming(assembly: self)
    }

    // Roots in name order, each followed by its descendants depth first in name order (spec §8.2).
    private mutating func order(_ descriptions: [EntityDescription]) throws(ModelError) {
        var children: [String: [EntityDescription]] = [:]
        var names: Set<String> = []
        for description in descriptions {
            guard !description.name.isEmpty else { throw ModelError("", nil, .emptyName) }
            guard names.insert(description.name).inserted else {
                throw ModelError(description.name, nil, .duplicateEntity)
            }
            children[description.superentity ?? "", default: []].append(description)
        }
        for description in descriptions {
            if let superentity = description.superentity, !names.contains(superentity) {
                throw ModelError(description.name, nil, .unknownSuperentity(superentity))
            }
        }
        for root in (children[""] ?? []).sorted(by: { $0.name < $1.name }) {
            append(root, superentity: nil, root: ordered.count, children: children)
        }
        if let lost = descriptions.first(where: { indexes[$0.name] == nil }) {
            throw ModelError(lost.name, nil, .circularInheritance)
        }
    }

    private mutating func append(
        _ description: EntityDescription, superentity: Int?, root: Int,
        children: [String: [EntityDescription]]
    ) {
        let index = ordered.count
        ordered.append((description, superentity, root))
        lastDescendants.append(index)
        indexes[description.name] = index
        ancestries.append((superentity.map { ancestries[$0] } ?? []) + [index])
        for child in (children[description.name] ?? []).sorted(by: { $0.name < $1.name }) {
            append(child, superentity: index, root: root, children: children)
        }
        lastDescendants[index] = ordered.count - 1
    }

    private func checkProperties() throws(ModelError) {
        for (index, (description, _, _)) in ordered.enumerated() {
            try checkNames(of: index)
            for attribute in description.attributes {
                if let value = attribute.defaultValue, value.converted(to: attribute.type) == nil {
                    throw ModelError(
                        description.name, attribute.name, .defaultOfOtherType(value, attribute.type)
                    )
                }
            }
            for relationship in description.relationships {
                try check(relationship, of: index)
            }
            try checkConstraintsAndIndexes(of: index)
        }
    }

    private func checkNames(of index: Int) throws(ModelError) {
        let entity = ordered[index].description.name
        var names: Set<String> = []
        for ancestor in ancestries[index] {
            let description = ordered[ancestor].description
            for name in description.attributes.map(\.name) + description.relationships.map(\.name) {
                guard !name.isEmpty else { throw ModelError(entity, name, .emptyName) }
                guard !Self.reservedNames.contains(name) else {
                    throw ModelError(entity, name, .reservedName)
                }
                guard names.insert(name).inserted else {
                    throw ModelError(entity, name, .duplicateProperty)
                }
            }
        }
        guard names.count <= Entity.maximumPropertyCount else {
            throw ModelError(entity, nil, .tooManyProperties(names.count))
        }
    }

    private func check(_ relationship: RelationshipDescription, of index: Int) throws(ModelError) {
        let entity = ordered[index].description.name
        guard let destination = indexes[relationship.destination] else {
            throw ModelError(
                entity, relationship.name, .unknownDestination(relationship.destination))
        }
        guard relationship.minCount >= 0, relationship.maxCount >= 0,
            relationship.maxCount == 0 || relationship.minCount <= relationship.maxCount
        else {
            throw ModelError(
                entity, relationship.name,
                .invalidCount(minCount: relationship.minCount, maxCount: relationship.maxCount))
        }
        guard let inverse = relationship.inverse else { return }
        guard let other = declaration(of: inverse, in: destination) else {
            throw ModelError(entity, relationship.name, .unknownInverse(inverse))
        }
        guard other.description.inverse == relationship.name,
            indexes[other.description.destination] == index
        else {
            throw ModelError(entity, relationship.name, .inverseMismatch(inverse))
        }
    }

    private func checkConstraintsAndIndexes(of index: Int) throws(ModelError) {
        let description = ordered[index].description
        let inherited = ancestries[index].map { ordered[$0].description }
        let attributes = Set(
            inherited.flatMap(\.attributes).filter { !$0.isTransient }.map(\.name))
        let toOnes = Set(inherited.flatMap(\.relationships).filter { !$0.isToMany }.map(\.name))
        for name in description.uniquenessConstraints.joined() where !attributes.contains(name) {
            throw ModelError(description.name, nil, .unknownConstraintAttribute(name))
        }
        for fetchIndex in description.indexes {
            guard !fetchIndex.elements.isEmpty else {
                throw ModelError(description.name, nil, .emptyIndex(fetchIndex.name))
            }
            for name in fetchIndex.elements.map(\.property)
            where !attributes.contains(name) && !toOnes.contains(name) {
                throw ModelError(description.name, nil, .unknownIndexProperty(name))
            }
        }
    }

    private func declaration(of name: String, in entity: Int) -> Declaration? {
        for ancestor in ancestries[entity] {
            if let found = ordered[ancestor].description.relationships.first(where: {
                $0.name == name
            }) {
                return (ancestor, found)
            }
        }
        return nil
    }

    /// Members of `ManagedObject` that a property of the same name would hide (spec §1.1).
    private static let reservedNames: Set<String> = [
        "description", "hash", "objectID", "entity", "isDeleted", "isInserted", "isUpdated",
        "isFault", "hasChanges", "managedObjectContext",
    ]
}

// MARK: - Resolution

extension ModelAssembly {
    /// The entities in the order of their numbers.
    func entities() -> [Entity] {
        let identifiers = ordered.map { entry in
            (entry.description.attributes.count + entry.description.relationships.count)
        }.map { count in (0..<count).map { _ in Property.newIdentifier() } }
        return ordered.indices.map { entity(at: $0, identifiers: identifiers) }
    }

    private func entity(at index: Int, identifiers: [[UInt32]]) -> Entity {
        var properties: [Property] = []
        var slotKinds: [SlotKind] = []
        var columns: [String] = []
        for ancestor in ancestries[index] {
            let description = ordered[ancestor].description
            for (position, attribute) in description.attributes.enumerated() {
                properties.append(
                    Property(
                        name: attribute.name, kind: .attribute(attribute.type),
                        index: properties.count, identifier: identifiers[ancestor][position],
                        declaringEntityIndex: ancestor, isOptional: attribute.isOptional,
                        isTransient: attribute.isTransient,
                        defaultValue: attribute.defaultValue?.converted(to: attribute.type),
                        slot: attribute.isTransient ? nil : slotKinds.count, entitySlot: nil,
                        relationship: nil))
                guard !attribute.isTransient else { continue }
                slotKinds.append(attribute.type.slotKind)
                columns.append(naming.column(of: attribute.name, in: ancestor))
            }
            for (position, relationship) in description.relationships.enumerated() {
                let destination = indexes[relationship.destination]!
                let isPolymorphic = lastDescendants[destination] > destination
                let isToOne = !relationship.isToMany
                properties.append(
                    Property(
                        name: relationship.name, kind: isToOne ? .toOne : .toMany,
                        index: properties.count,
                        identifier: identifiers[ancestor][description.attributes.count + position],
                        declaringEntityIndex: ancestor, isOptional: relationship.isOptional,
                        isTransient: false, defaultValue: nil,
                        slot: isToOne ? slotKinds.count : nil,
                        entitySlot: isToOne && isPolymorphic ? slotKinds.count + 1 : nil,
                        relationship: resolve(relationship, of: ancestor)))
                guard isToOne else { continue }
                slotKinds.append(.integer)
                columns.append(naming.column(of: relationship.name, in: ancestor))
                guard isPolymorphic else { continue }
                slotKinds.append(.integer)
                columns.append(naming.entityColumn(of: relationship.name, in: ancestor))
            }
        }
        let entry = ordered[index]
        return Entity(
            description: entry.description, index: index, superentityIndex: entry.superentity,
            rootIndex: entry.root, familyIndexes: index...lastDescendants[index],
            properties: properties, layout: RowLayout(slotKinds: slotKinds),
            versionHash: versionHash(of: index),
            uniquenessConstraints: ancestries[index].flatMap {
                ordered[$0].description.uniquenessConstraints
            },
            table: "Z" + ordered[entry.root].description.name.uppercased(), columns: columns)
    }

    private func resolve(_ relationship: RelationshipDescription, of entity: Int) -> Relationship {
        let destination = indexes[relationship.destination]!
        let inverseIndex = relationship.inverse.map { propertyIndex(of: $0, in: destination) }
        let inverse = relationship.inverse.flatMap { declaration(of: $0, in: destination) }
        let storage: RelationshipStorage =
            if !relationship.isToMany {
                .foreignKey
            } else if let inverse, !inverse.description.isToMany {
                .inverseForeignKey(propertyIndex: inverseIndex!)
            } else {
                .joinTable(
                    naming.joinTable(
                        (entity, relationship.name),
                        inverse.map { ($0.entity, $0.description.name) }
                    ))
            }
        return Relationship(
            destinationIndex: destination, inverseIndex: inverseIndex,
            deleteRule: relationship.deleteRule, minCount: relationship.minCount,
            maxCount: relationship.maxCount, storage: storage)
    }

    private func propertyIndex(of name: String, in entity: Int) -> Int {
        let names = ancestries[entity].flatMap { ancestor in
            let description = ordered[ancestor].description
            return description.attributes.map(\.name) + description.relationships.map(\.name)
        }
        return names.firstIndex(of: name)!
    }

    /// The properties of an entity that have a column, by their declaring entity; entity columns count as their own.
    func columnOwners(ofRoot root: Int) -> [(entity: Int, name: String, isRelationship: Bool)] {
        (root...lastDescendants[root]).flatMap { entity in
            let description = ordered[entity].description
            return description.attributes.filter { !$0.isTransient }
                .map { (entity, $0.name, false) }
                + description.relationships.filter { !$0.isToMany }.map { (entity, $0.name, true) }
        }
    }

    var rootIndexes: [Int] { ordered.indices.filter { ordered[$0].root == $0 } }

    /// The number of the destination's entity if a reference to it has to name the concrete entity as well.
    func polymorphicDestinationNumber(of name: String, in entity: Int) -> Int? {
        guard let relationship = declaration(of: name, in: entity)?.description,
            let destination = indexes[relationship.destination],
            lastDescendants[destination] > destination
        else { return nil }
        return destination + 1
    }

    // What counts and what does not: spec §1.8.
    private func versionHash(of index: Int) -> [UInt8] {
        let (description, superentity, _) = ordered[index]
        var digest = Digest()
        digest.update(description.name)
        digest.update(description.isAbstract)
        digest.update(description.versionHashModifier ?? "")
        if let superentity {
            digest.update(versionHash(of: superentity).map(String.init).joined(separator: ","))
        }
        for attribute in description.attributes.sorted(by: { $0.name < $1.name }) {
            digest.update(attribute.name)
            digest.update(attribute.isOptional)
            digest.update(attribute.isTransient)
            digest.update(attribute.type.rawValue)
            digest.update(attribute.versionHashModifier ?? "")
        }
        for relationship in description.relationships.sorted(by: { $0.name < $1.name }) {
            digest.update(relationship.name)
            digest.update(relationship.isOptional)
            digest.update(relationship.destination)
            digest.update(relationship.inverse ?? "")
            digest.update(relationship.minCount)
            digest.update(relationship.maxCount)
            digest.update(relationship.versionHashModifier ?? "")
        }
        for constraint in description.uniquenessConstraints {
            digest.update(constraint.joined(separator: ","))
        }
        return digest.finalize()
    }
}
