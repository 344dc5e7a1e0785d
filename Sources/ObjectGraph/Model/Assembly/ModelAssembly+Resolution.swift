extension ModelAssembly {
    /// The entities in the order of their numbers.
    func entities() -> [Entity] {
        let identifiers = ordered.indices.map { index in
            (0..<declaredNames(of: index).count).map { _ in Property.newIdentifier() }
        }
        return ordered.indices.map { entity(at: $0, identifiers: identifiers) }
    }

    /// The number of properties of the entity, which may be higher if it is above the limit.
    func propertyCount(of index: Int) -> Int {
        ancestries[index].map { ancestor in
            let description = ordered[ancestor].description
            let attributes = description.attributes.map {
                $0.flattenedCount(limit: Entity.maximumPropertyCount)
            }
            let places = description.relationships.count(where: hasPlaceInOrder)
            return attributes.reduce(description.relationships.count + places, +)
        }.reduce(0, +)
    }

    /// The names of the properties that the entity adds, in order: attributes, each followed by
    /// its elements, relationships, hidden attributes for places.
    private func declaredNames(of index: Int) -> [String] {
        let description = ordered[index].description
        return description.attributes.flatMap(\.flattenedNames)
            + description.relationships.map(\.name)
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
            var rules = rules[ancestor].makeIterator()
            for attribute in description.attributes {
                draft.append(attribute, &rules, identifiers: &next, declaring: ancestor)
            }
            for relationship in description.relationships {
                draft.append(
                    relationship, resolve(relationship, of: ancestor), identifier: next.next()!,
                    declaring: ancestor, isPolymorphic: hasDescendants(relationship.destination))
            }
            for relationship in description.relationships where hasPlaceInOrder(relationship) {
                var noRules = [AttributeRules?.none].makeIterator()
                draft.append(
                    AttributeDescription(Self.placeName(relationship.name), .integer64), &noRules,
                    identifiers: &next, declaring: ancestor)
            }
        }
        let entry = ordered[index]
        var description = entry.description
        description.ancestors = ancestries[index].dropLast().map { ordered[$0].description }
        return Entity(
            description: description, index: index, superentityIndex: entry.superentity,
            rootIndex: entry.root, familyIndexes: index...lastDescendants[index],
            properties: draft.properties.map { $0! }, layout: RowLayout(slotKinds: draft.slotKinds),
            versionHash: versionHash(of: index),
            formerVersionHash: versionHash(of: index, countsTransients: true),
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
        let owner = inverse.map { indexes[$0.description.destination]! }
        return Relationship(
            destinationIndex: destination,
            inverseIndex: relationship.inverse.map { propertyIndex(of: $0, in: destination) },
            ownerIndex: owner.flatMap { $0 > entity ? $0 : nil },
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
    /// A composite attribute is nil until its elements, which follow it, are there.
    var properties: [Property?] = []
    var slotKinds: [SlotKind] = []

    /// Appends an attribute, then its elements.
    ///
    /// - Parameters:
    ///   - attribute: The attribute, or an element that is named by its key path.
    ///   - rules: Those of `flattened`.
    ///   - identifiers: Those of `flattened`.
    ///   - declaring: The index of the entity that declares the attribute.
    @discardableResult
    mutating func append(
        _ attribute: AttributeDescription, _ rules: inout IndexingIterator<[AttributeRules?]>,
        identifiers: inout IndexingIterator<[UInt32]>, declaring: Int
    ) -> Property {
        let (index, identifier, ownRules) = (
            properties.count, identifiers.next()!, rules.next()!
        )
        properties.append(nil)
        let hasSlot = !attribute.isTransient && attribute.type != .composite
        let slot = hasSlot ? slotKinds.count : nil
        if hasSlot { slotKinds.append(attribute.type.slotKind) }
        var elements: [Property.Element] = []
        for element in attribute.elements {
            let part = append(
                attribute.flattened(element), &rules, identifiers: &identifiers,
                declaring: declaring)
            elements.append(
                Property.Element(
                    name: element.name, property: part,
                    isRequired: !element.isOptional && (part.isOptional || part.isComposite)))
        }
        let property = Property(
            name: attribute.name, kind: .attribute(attribute.type), index: index,
            identifier: identifier, declaringEntityIndex: declaring,
            isOptional: attribute.isOptional, isTransient: attribute.isTransient,
            defaultValue: attribute.convertedDefault, slot: slot, entitySlot: nil,
            derivation: attribute.derivation.flatMap(Derivation.init), elements: elements,
            rules: ownRules, relationship: nil)
        properties[index] = property
        return property
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
