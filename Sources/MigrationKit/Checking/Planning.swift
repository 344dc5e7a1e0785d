import ObjectGraph

/// Makes the plans of all entities from the models and the expectations.
struct Planning {
    let model: ManagedObjectModel
    let snapshotModel: ManagedObjectModel
    let lineage: VersionLineage

    /// Those that hold for the snapshot, the earliest change first.
    let expectations: [MigrationExpectation]

    /// The plans of all entities with rows, but those that are ignored.
    func plans() -> [EntityPlan] {
        model.entitiesByName.values.sorted { $0.name < $1.name }.compactMap { entity in
            guard !entity.isAbstract, let sources = sources(of: entity) else { return nil }
            let plans = sources.map { name, condition in
                EntityPlan.Source(
                    entity: name, condition: condition, origins: origins(entity, from: name))
            }
            return EntityPlan(
                entity: entity.name, sources: plans, predicates: predicates(of: entity))
        }
    }

    /// The entity and its ancestors.
    private func family(_ entity: EntityDescription) -> [String] {
        var names = [entity.name]
        while let parent = model.entitiesByName[names.last!]?.superentity { names.append(parent) }
        return names
    }

    private func expectation(
        _ entity: EntityDescription, _ property: String?,
        _ isMeant: (MigrationExpectation.Subject) -> Bool
    ) -> MigrationExpectation.Subject? {
        for name in family(entity) {
            let found = expectations.first {
                $0.entity == name && $0.property == property && isMeant($0.subject)
            }
            if let found { return found.subject }
        }
        return nil
    }

    /// The rule for a property, or for a composite attribute around it.
    func rule(_ path: String, of entity: EntityDescription) -> ValueRule? {
        for whole in path.composites {
            let found = expectation(entity, whole) { if case .value = $0 { true } else { false } }
            guard case .value(let rule)? = found else { continue }
            return rule.forElement(path.split(separator: ".").dropFirst(whole.keyCount))
        }
        return nil
    }

    /// Nil if the rows are ignored.
    func sources(
        of entity: EntityDescription
    ) -> [(entity: String, condition: String?)]? {
        let found = expectation(entity, nil) {
            switch $0 {
            case .rows, .ignoredRows: true
            case .value, .removed: false
            }
        }
        switch found {
        case .ignoredRows: return nil
        case .rows(let names, let condition): return names.map { ($0, condition) }
        default: return lineage.source(ofEntity: entity.name).map { [($0, nil)] } ?? []
        }
    }

    private func predicates(of entity: EntityDescription) -> [String: String] {
        var found: [String: String] = [:]
        for path in entity.propertyPaths {
            guard case .satisfies(let format)? = rule(path, of: entity) else { continue }
            // Once for all elements of a composite attribute.
            let place = path.composites.last { rule($0, of: entity) == .satisfies(format) }
            found[place ?? path] = format
        }
        return found
    }

    // MARK: - Origins

    private func origins(
        _ entity: EntityDescription, from source: String
    ) -> [String: EntityPlan.Origin] {
        guard let former = snapshotModel.entitiesByName[source] else { return [:] }
        var origins: [String: EntityPlan.Origin] = [:]
        for (path, attribute) in entity.storedAttributes {
            origins[path] = origin(attribute, path, entity, from: former)
        }
        for (name, relationship) in entity.relationshipsByName {
            origins[name] = origin(relationship, entity, from: former)
        }
        return origins
    }

    /// The property of a row that a property comes from by its name.
    func formerPath(
        _ path: String, _ entity: EntityDescription, from former: EntityDescription
    ) -> String? {
        lineage.source(ofEntity: entity.name) == former.name
            ? lineage.source(ofProperty: path, in: entity.name) : path
    }

    private func origin(
        _ attribute: AttributeDescription, _ path: String, _ entity: EntityDescription,
        from former: EntityDescription
    ) -> EntityPlan.Origin? {
        let missing = (attribute.defaultValue ?? .null).normalized(to: attribute.type)
        let filled = attribute.isOptional ? .null : missing
        switch rule(path, of: entity) {
        case .same(let path): return .value(of: path, default: filled)
        case .computed(let expression): return .computed(expression, as: attribute.type)
        case .constant(let value): return .constant(value.normalized(to: attribute.type))
        case .satisfies, .ignored: return nil
        case nil: break
        }
        let formerPath = formerPath(path, entity, from: former)
        guard let formerPath, let known = former.storedAttributes[formerPath] else {
            return attribute.derivation == nil ? .constant(missing) : nil
        }
        // The store computes it again, at any moment.
        guard attribute.derivation == known.derivation, attribute.derivation != "now()" else {
            return nil
        }
        return .value(of: formerPath, default: filled)
    }

    private func origin(
        _ relationship: RelationshipDescription, _ entity: EntityDescription,
        from former: EntityDescription
    ) -> EntityPlan.Origin? {
        var path = formerPath(relationship.name, entity, from: former)
        var isStated = false
        switch rule(relationship.name, of: entity) {
        case .same(let name): (path, isStated) = (name, true)
        case .constant: return .noMembers
        case .satisfies, .ignored, .computed: return nil
        case nil: break
        }
        if isStated, path == StoreContents.itself {
            return .members(
                of: StoreContents.itself, isOrdered: false, destination: relationship.destination)
        }
        guard let known = path.flatMap({ former.relationshipsByName[$0] }) else {
            return isInverseKnown(relationship, of: entity) ? nil : .noMembers
        }
        let inverse = model.inverse(of: relationship, in: entity)
        let formerInverse = snapshotModel.inverse(of: known, in: former)
        let isNarrower =
            known.isToMany && !relationship.isToMany
            || formerInverse?.isToMany ?? true && !(inverse?.isToMany ?? true)
        // Which of several objects remains is not said by the models.
        guard isStated || !isNarrower else { return nil }
        return .members(
            of: known.name, isOrdered: known.isOrdered && relationship.isOrdered,
            destination: relationship.destination)
    }

    /// Whether the objects follow from those of the other end.
    private func isInverseKnown(
        _ relationship: RelationshipDescription, of entity: EntityDescription
    ) -> Bool {
        guard let inverse = model.inverse(of: relationship, in: entity) else { return false }
        guard lineage.source(ofProperty: inverse.name, in: relationship.destination) == nil,
            let destination = model.entitiesByName[relationship.destination]
        else { return true }
        return rule(inverse.name, of: destination) != nil
    }
}

extension EntityDescription {
    /// The names of all properties, and the key paths of elements.
    var propertyPaths: [String] {
        (Array(storedAttributes.keys) + Array(relationshipsByName.keys)).sorted()
    }

    /// Whether there is a property at a key path, a composite attribute included.
    func hasProperty(_ path: String) -> Bool {
        propertyPaths.contains { $0.composites.contains(path) }
    }
}

extension String {
    /// The key path itself and those that it continues, the longest first.
    var composites: [String] {
        var paths = [self]
        while let end = paths[paths.count - 1].lastIndex(of: ".") {
            paths.append(String(paths[paths.count - 1][..<end]))
        }
        return paths
    }

    fileprivate var keyCount: Int { split(separator: ".").count }
}

extension ValueRule {
    /// The rule for an element of the composite attribute that it is about.
    fileprivate func forElement(_ keys: ArraySlice<Substring>) -> ValueRule {
        guard !keys.isEmpty else { return self }
        switch self {
        case .same(let path): return .same(as: ([Substring(path)] + keys).joined(separator: "."))
        case .constant(let value):
            return .constant(
                keys.reduce(value) { value, key in
                    if case .composite(let values) = value {
                        values[String(key)] ?? .null
                    } else {
                        .null
                    }
                })
        case .computed, .satisfies, .ignored: return self
        }
    }
}

extension ManagedObjectModel {
    /// The relationship at the other end; nil if there is none.
    func inverse(
        of relationship: RelationshipDescription, in entity: EntityDescription
    ) -> RelationshipDescription? {
        entitiesByName[relationship.destination]?.relationshipsByName.values.first { other in
            isEntity(entity.name, kindOf: other.destination)
                && (other.name == relationship.inverse || other.inverse == relationship.name)
        }
    }
}
