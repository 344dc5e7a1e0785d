import ObjectGraph

// The values and rows that a migration loses.
extension Planning {
    /// The entities and properties of the snapshot that nothing takes over: names of properties are
    /// key paths, nil means the entity.
    func lost(_ plans: [EntityPlan]) -> [(entity: String, property: String?)] {
        let removed = Set(
            expectations.filter { $0.subject == .removed }.map {
                [$0.entity, $0.property].compactMap(\.self).joined(separator: ".")
            })
        let ignored = model.entitiesByName.values.filter { sources(of: $0) == nil }
            .compactMap { lineage.source(ofEntity: $0.name) }
        let entities = snapshotModel.entitiesByName.values.sorted { $0.name < $1.name }.filter {
            !$0.isAbstract && !ignored.contains($0.name)
        }
        var taken: [String: Set<String>] = [:]
        for entity in entities {
            for plan in plans where plan.sources.contains(where: { $0.entity == entity.name }) {
                taken[entity.name, default: []].formUnion(self.taken(by: plan, entity))
            }
        }
        var lost: [(entity: String, property: String?)] = []
        for entity in entities {
            guard let known = taken[entity.name] else {
                if !isRemoved(nil, entity, removed) { lost.append((entity.name, nil)) }
                continue
            }
            for path in entity.propertyPaths
            where !known.contains(path) && !isKeptOtherwise(path, entity, taken)
                && !isRemoved(path, entity, removed)
            {
                lost.append((entity.name, path))
            }
        }
        return lost
    }

    /// Whether an entity, one of its ancestors or the property of one is removed on purpose.
    private func isRemoved(
        _ property: String?, _ entity: EntityDescription, _ removed: Set<String>
    ) -> Bool {
        var name: String? = entity.name
        while let each = name {
            if removed.contains(each) { return true }
            if property?.composites.contains(where: { removed.contains("\(each).\($0)") }) ?? false
            {
                return true
            }
            name = snapshotModel.entitiesByName[each]?.superentity
        }
        return false
    }

    /// Whether a property is computed, or the other end of a relationship has its pairs.
    private func isKeptOtherwise(
        _ path: String, _ entity: EntityDescription, _ taken: [String: Set<String>]
    ) -> Bool {
        guard let relationship = entity.relationshipsByName[path] else {
            return entity.storedAttributes[path]?.derivation != nil
        }
        guard let inverse = snapshotModel.inverse(of: relationship, in: entity) else {
            return false
        }
        return taken.contains { name, paths in
            snapshotModel.isEntity(name, kindOf: relationship.destination)
                && paths.contains(inverse.name)
        }
    }

    /// The properties of a snapshot's entity that a plan uses.
    private func taken(by plan: EntityPlan, _ former: EntityDescription) -> Set<String> {
        guard let entity = model.entitiesByName[plan.entity] else { return [] }
        var taken: Set<String> = []
        for path in entity.propertyPaths {
            if let path = formerPath(path, entity, from: former) { taken.insert(path) }
            switch rule(path, of: entity) {
            case .same(let path): taken.insert(path)
            case .computed(let expression):
                taken.formUnion(former.propertyPaths.filter(expression.contains))
            default: break
            }
        }
        return taken
    }
}
