/// Which entity and which property of one model became which of another, by names and renaming
/// identifiers (spec §9.2).
struct ModelCorrespondence: Sendable {
    let source: ManagedObjectModel
    let destination: ManagedObjectModel

    /// The entity that each one was, by the index of the destination's; nil for one that is added.
    private let entities: [Entity?]

    /// The same of properties, by the indexes of the destination's entity and property.
    private let properties: [[Property?]]

    /// - Parameter mapped: The entities of the destination that have a mapping made by hand. Then
    ///   nothing depends on keys, so hierarchies may be merged.
    /// - Throws: `MigrationError` with `notInferable`.
    init(
        from source: ManagedObjectModel, to destination: ManagedObjectModel,
        excusing mapped: Set<String> = []
    ) throws(MigrationError) {
        self.source = source
        self.destination = destination
        let places = Self.matches(
            destination.entities.map { ($0.name, $0.description.renamingIdentifier) },
            source.entities.map { ($0.name, $0.description.renamingIdentifier) })
        let entities = places.map { $0.map { source.entities[$0] } }
        self.entities = entities
        properties = destination.entities.map { entity in
            guard let old = entities[entity.index] else {
                return entity.properties.map { _ in nil }
            }
            return Self.properties(of: entity, destination, in: old, source)
        }
        let obstacles = self.obstacles.filter { !$0.isExcused(by: mapped) }
        guard obstacles.isEmpty else { throw MigrationError(.notInferable(obstacles)) }
    }

    /// The entity whose rows the entity's are; nil for one that is added.
    func source(of entity: Entity) -> Entity? { entities[entity.index] }

    /// The property whose values a property of the entity has; nil for one that is added.
    func source(of property: Property, in entity: Entity) -> Property? {
        properties[entity.index][property.index]
    }

    /// The entity that an entity of the source became; nil for one that is removed.
    func destination(of entity: Entity) -> Entity? {
        entities.firstIndex { $0 === entity }.map { destination.entities[$0] }
    }

    // MARK: - Matching

    /// For each item the position of the one that it was. Each is taken once.
    ///
    /// A renaming identifier names either the identifier or the name of what was renamed. If it
    /// names neither, the same name counts.
    private static func matches(
        _ items: [(name: String, identifier: String?)],
        _ candidates: [(name: String, identifier: String?)]
    ) -> [Int?] {
        typealias Item = (name: String, identifier: String?)
        let rules: [(Item, Item) -> Bool] = [
            { $0.name == $1.name && $0.identifier ?? $0.name == $1.identifier ?? $1.name },
            { $0.identifier ?? $0.name == $1.identifier ?? $1.name },
            { $0.identifier == $1.name },
            { $0.name == $1.name },
        ]
        var found = [Int?](repeating: nil, count: items.count)
        var isTaken = [Bool](repeating: false, count: candidates.count)
        for rule in rules {
            for (position, item) in items.enumerated() where found[position] == nil {
                guard
                    let match = candidates.indices.first(where: {
                        !isTaken[$0] && rule(item, candidates[$0])
                    })
                else { continue }
                found[position] = match
                isTaken[match] = true
            }
        }
        return found
    }

    /// For each property of an entity the one that it was in another entity.
    static func properties(
        of entity: Entity, _ model: ManagedObjectModel, in old: Entity,
        _ oldModel: ManagedObjectModel
    ) -> [Property?] {
        var found = [Property?](repeating: nil, count: entity.properties.count)
        // An element of a composite has a key path as its name, of which the last key is its own.
        func names(_ property: Property, _ model: ManagedObjectModel) -> (String, String?) {
            func own(_ path: String) -> String { String(path.split(separator: ".").last ?? "") }
            return (own(property.name), model.renamingIdentifier(of: property).map(own))
        }
        func match(_ items: [Property], _ candidates: [Property]) {
            let places = matches(
                items.map { names($0, model) }, candidates.map { names($0, oldModel) })
            for (property, place) in zip(items, places) {
                guard let former = place.map({ candidates[$0] }) else { continue }
                found[property.index] = former
                match(property.elements.map(\.property), former.elements.map(\.property))
            }
        }
        let visible = entity.properties.filter { !$0.isHidden }
        match(visible, old.properties.filter { !$0.isHidden })
        // The place of an object in the order at the other end goes with the relationship.
        for property in visible where property.kind == .toOne {
            guard let place = entity.place(of: property),
                let former = found[property.index], former.kind == .toOne
            else { continue }
            found[place.index] = old.place(of: former)
        }
        return found
    }

    // MARK: - Obstacles

    private var obstacles: [MigrationObstacle] {
        guard entities.contains(where: { $0 != nil }) || source.entities.isEmpty else {
            return [MigrationObstacle(entity: "", property: nil, reason: .unrelatedModels)]
        }
        return destination.rootEntities.compactMap(mergedHierarchies)
            + destination.entities.flatMap { entity -> [MigrationObstacle] in
                guard let old = source(of: entity) else { return [] }
                return entity.properties.compactMap { property in
                    // A property is reported where it is declared, or where its values come from
                    // elsewhere than in the superentity.
                    guard !property.isPlace, isOwn(property, of: entity),
                        let reason = obstacle(property, of: entity, old)
                    else { return nil }
                    return MigrationObstacle(
                        entity: entity.name, property: property.name, reason: reason,
                        possibleFormerName: possibleFormer(of: property, in: entity, old)?.name)
                }
            }
    }

    private func isOwn(_ property: Property, of entity: Entity) -> Bool {
        guard property.declaringEntityIndex != entity.index, let parent = entity.superentityIndex
        else { return true }
        return source(of: destination.entities[parent]) == nil
            || properties[parent][property.index]?.identifier
                != properties[entity.index][property.index]?.identifier
    }

    private func mergedHierarchies(_ root: Entity) -> MigrationObstacle? {
        let former = destination.entities[root.familyIndexes].compactMap(source(of:))
        guard let first = former.first,
            let other = former.first(where: { $0.rootIndex != first.rootIndex })
        else { return nil }
        return MigrationObstacle(
            entity: root.name, property: nil, reason: .mergedHierarchies(first.name, other.name))
    }

    private func obstacle(
        _ property: Property, of entity: Entity, _ old: Entity
    ) -> MigrationObstacle.Reason? {
        guard let former = source(of: property, in: entity) else {
            return property.relationship == nil
                ? missingDefault(property) : missingMembers(property, of: entity)
        }
        switch (property.relationship, former.relationship) {
        case (nil, nil): return attributeObstacle(property, former)
        case (let relationship?, let formerRelationship?):
            return missingDestination(relationship, formerRelationship)
                ?? (isInverseKept(relationship, former, formerRelationship) ? nil : .inverse)
        default: return .otherKind
        }
    }

    /// The only property of the same type that the entity has lost, if the property is new.
    private func possibleFormer(
        of property: Property, in entity: Entity, _ old: Entity
    ) -> Property? {
        guard source(of: property, in: entity) == nil else { return nil }
        let kept = Set(entity.properties.compactMap { source(of: $0, in: entity)?.index })
        let lost = old.properties.filter { former in
            guard !kept.contains(former.index), !former.isHidden, !former.isTransient,
                former.kind == property.kind, former.attributeType == property.attributeType
            else { return false }
            guard let relationship = property.relationship else { return true }
            let destination = destination.entities[relationship.destinationIndex]
            return source(of: destination)?.index == former.relationship!.destinationIndex
        }
        return lost.count == 1 ? lost[0] : nil
    }

    private func attributeObstacle(
        _ property: Property, _ former: Property
    ) -> MigrationObstacle.Reason? {
        let (from, to) = (former.attributeType!, property.attributeType!)
        if property.isTransient || property.derivation != nil { return nil }
        if from == .composite, to == .composite { return nil }
        if former.isTransient { return missingDefault(property) }
        guard to.holdsValues(of: from) else { return .attributeType(from: from, to: to) }
        return former.isOptional ? missingDefault(property) : nil
    }

    private func missingDefault(_ property: Property) -> MigrationObstacle.Reason? {
        let isFilled =
            property.isOptional || property.isTransient || property.derivation != nil
            || property.isComposite || property.defaultValue != nil
        return isFilled ? nil : .noDefault
    }

    private func missingMembers(
        _ property: Property, of entity: Entity
    ) -> MigrationObstacle.Reason? {
        let relationship = property.relationship!
        guard !property.isOptional, property.kind == .toOne || relationship.minCount > 0 else {
            return nil
        }
        // Its objects may be known from the other end.
        let destination = destination.entities[relationship.destinationIndex]
        guard let inverse = self.destination.inverse(of: relationship),
            source(of: destination) != nil, source(of: inverse, in: destination) != nil
        else { return .mandatoryRelationship }
        return nil
    }

    private func missingDestination(
        _ relationship: Relationship, _ former: Relationship
    ) -> MigrationObstacle.Reason? {
        let family = destination.entities[relationship.destinationIndex].familyIndexes
        let formerFamily = source.entities[former.destinationIndex].familyIndexes
        let missing = source.entities[formerFamily].first { entity in
            destination(of: entity).map { !family.contains($0.index) } ?? false
        }
        return missing.map { .destination(missing: $0.name) }
    }

    /// Whether the two ends hold the same pairs as before, if both were there.
    private func isInverseKept(
        _ relationship: Relationship, _ former: Property, _ formerRelationship: Relationship
    ) -> Bool {
        let destination = destination.entities[relationship.destinationIndex]
        guard let inverse = self.destination.inverse(of: relationship),
            source(of: destination) != nil,
            let formerOther = source(of: inverse, in: destination)
        else { return true }
        let formerInverse = source.inverse(of: formerRelationship)
        return formerInverse?.identifier == formerOther.identifier
    }

    // MARK: - The public form

    var mappingModel: MappingModel {
        let kept = destination.entities.map { entity -> EntityMapping in
            let old = source(of: entity)
            let visible = entity.properties.filter { !$0.isHidden }
            let used = Set(visible.compactMap { source(of: $0, in: entity)?.index })
            return EntityMapping(
                kind: old == nil
                    ? .add : old?.versionHash == entity.versionHash ? .copy : .transform,
                source: old?.name, destination: entity.name,
                propertyMappings: visible.map {
                    PropertyMapping(name: $0.name, source: source(of: $0, in: entity)?.name)
                },
                removedProperties: old.map { old in
                    old.properties.filter { !$0.isHidden && !used.contains($0.index) }.map(\.name)
                } ?? [])
        }
        let removed = source.entities.filter { destination(of: $0) == nil }
        return MappingModel(
            inferred: kept
                + removed.map {
                    EntityMapping(
                        kind: .remove, source: $0.name, destination: nil, propertyMappings: [])
                }, from: source, to: destination)
    }
}

extension MigrationObstacle {
    fileprivate func isExcused(by mapped: Set<String>) -> Bool {
        guard !mapped.isEmpty else { return false }
        return switch reason {
        case .unrelatedModels, .mergedHierarchies: true
        default: mapped.contains(entity)
        }
    }
}

extension Entity {
    /// The hidden attribute for the object's place in the ordered relationship at the other end of
    /// a to-one relationship; nil if that is not ordered.
    func place(of property: Property) -> Property? {
        properties.first { $0.isPlace && $0.name == ModelAssembly.placeName(property.name) }
    }
}

extension ManagedObjectModel {
    fileprivate func renamingIdentifier(of property: Property) -> String? {
        let description = entities[property.declaringEntityIndex].description
        return property.relationship == nil
            ? attributeDescription(of: property)?.renamingIdentifier
            : description.relationships.first { $0.name == property.name }?.renamingIdentifier
    }
}
