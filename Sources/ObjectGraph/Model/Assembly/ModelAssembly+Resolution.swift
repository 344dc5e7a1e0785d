extension ModelAssembly {
    /// The entities in the order of their numbers.
    func entities() -> [Entity] {
        let identifiers = ordered.indices.map { index in
            (0..<declaredNames(of: index).count).map { _ in Property.newIdentifier() }
        }
        return ordered.indices.map { entity(at: $0, identifiers: identifiers) }
    }

    func propertyCount(of index: Int) -> Int {
        ancestries[index].map { declaredNames(of: $0).count }.reduce(0, +)
    }

    /// The names of the properties that the entity adds, in order: attributes, relationships,
    /// hidden attributes for places.
    private func declaredNames(of index: Int) -> [String] {
        let description = ordered[index].description
        return description.attributes.map(\.name) + description.relationships.map(\.name)
            + description.relationships.filter(hasPlaceInOrder).map { Self.placeName($0.name) }
    }

    /// The name of the hidden attribute for an object's place in the ordered relationship at the
    /// other end of a to-one relationship.
    static func placeName(_ relationship: String) -> String { "(place in \(relationship))" }

    private func entity(at index: Int, identifiers: [[UInt32]]) -> Entity {
        var draft = EntityDraft()
        for ancestor in ancestries[index] {
            let description = ordered[ancestor].description
            var next = identifiers[ancestor].makeIterator()
            for (attribute, rules) in zip(description.attributes, rules[ancestor]) {
                draft.append(
                    attribute, rules, identifier: next.next()!, declaring: ancestor)
            }
            for relationship in description.relationships {
                draft.append(
                    relationship, resolve(relationship, of: ancestor), identifier: next.next()!,
                    declaring: ancestor, isPolymorphic: hasDescendants(relationship.destination))
            }
            for relationship in description.relationships where hasPlaceInOrder(relationship) {
                draft.append(
                    AttributeDescription(Self.placeName(relationship.name), .integer64), nil,
                    identifier: next.next()!, declaring: ancestor)
            }
        }
        let entry = ordered[index]
        var description = entry.description
        description.ancestors = ancestries[index].dropLast().map { ordered[$0].description }
        return Entity(
            description: description, index: index, superentityIndex: entry.superentity,
            rootIndex: entry.root, familyIndexes: index...lastDescendants[index],
            properties: draft.properties, layout: RowLayout(slotKinds: draft.slotKinds),
            versionHash: versionHash(of: index),
            uniquenessConstraints: ancestries[index].flatMap {
                ordered[$0].description.uniquenessConstraints
            })
    }

    private func resolve(_ relationship: RelationshipDescription, of entity: Int) -> Relationship {
        let destination = indexes[relationship.destination]!
        let inverse = inverse(of: relationship)
        let storage: RelationshipStorage =
            if !relationship.isToMany {
                .foreignKey
            } else if let inverse, !inverse.description.isToMany {
                .inverseForeignKey(
                    propertyIndex: propertyIndex(of: inverse.description.name, in: destination))
            } else {
                .joinTable(joinEnds[Declared(entity: entity, name: relationship.name)]!)
            }
        var placeIndex: Int?
        if let inverse, relationship.isOrdered, !inverse.description.isToMany {
            placeIndex = propertyIndex(
                of: Self.placeName(inverse.description.name), in: destination)
        }
        return Relationship(
            destinationIndex: destination,
            inverseIndex: relationship.inverse.map { propertyIndex(of: $0, in: destination) },
            deleteRule: relationship.deleteRule, minCount: relationship.minCount,
            maxCount: relationship.maxCount, isOrdered: relationship.isOrdered,
            placeIndex: placeIndex, storage: storage)
    }

    private func propertyIndex(of name: String, in entity: Int) -> Int {
        ancestries[entity].flatMap { declaredNames(of: $0) }.firstIndex(of: name)!
    }
}

/// The properties of an entity and the layout of its rows, while they are collected.
private struct EntityDraft {
    var properties: [Property] = []
    var slotKinds: [SlotKind] = []

    mutating func append(
        _ attribute: AttributeDescription, _ rules: AttributeRules?, identifier: UInt32,
        declaring: Int
    ) {
        properties.append(
            Property(
                name: attribute.name, kind: .attribute(attribute.type), index: properties.count,
                identifier: identifier, declaringEntityIndex: declaring,
                isOptional: attribute.isOptional, isTransient: attribute.isTransient,
                defaultValue: attribute.convertedDefault,
                slot: attribute.isTransient ? nil : slotKinds.count, entitySlot: nil,
                derivation: attribute.derivation.flatMap(Derivation.init), rules: rules,
                relationship: nil))
        if !attribute.isTransient { slotKinds.append(attribute.type.slotKind) }
    }

    mutating func append(
        _ description: RelationshipDescription, _ relationship: Relationship, identifier: UInt32,
        declaring: Int, isPolymorphic: Bool
    ) {
        let slots = description.isToMany ? 0 : isPolymorphic ? 2 : 1
        properties.append(
            Property(
                name: description.name, kind: description.isToMany ? .toMany : .toOne,
                index: properties.count, identifier: identifier, declaringEntityIndex: declaring,
                isOptional: description.isOptional, isTransient: false, defaultValue: nil,
                slot: slots > 0 ? slotKinds.count : nil,
                entitySlot: slots > 1 ? slotKinds.count + 1 : nil, rules: nil,
                relationship: relationship))
        slotKinds += Array(repeating: .integer, count: slots)
    }
}
