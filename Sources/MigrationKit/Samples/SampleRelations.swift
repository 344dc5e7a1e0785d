import ObjectGraph

/// Relates the objects of the sample data: each relationship in both directions once.
struct SampleRelations {
    let model: ManagedObjectModel
    let samples: [SampleObject]

    /// One direction of a relationship.
    private struct End {
        let entity: String
        let description: RelationshipDescription

        var isMandatory: Bool { !description.isOptional || description.minCount > 0 }

        /// How many objects one object has at least and at most in the sample data.
        var counts: ClosedRange<Int> {
            let least = isMandatory ? max(1, description.minCount) : 0
            let most = description.maxCount == 0 ? Int.max : description.maxCount
            return least...max(least, most)
        }
    }

    func make() throws {
        for (name, entity) in model.entitiesByName.sorted(by: { $0.key < $1.key }) {
            for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
                let end = End(entity: name, description: relationship)
                guard let inverse = inverse(of: end) else {
                    try relate(end)
                    continue
                }
                // Of two ends, the first one by name makes the pairs.
                let place = (end.entity, relationship.name)
                if place <= (inverse.entity, inverse.description.name) {
                    try relate(end, inverse)
                }
            }
        }
    }

    private func inverse(of end: End) -> End? {
        let members = model.entitiesByName.values.flatMap { entity in
            entity.relationships.map { End(entity: entity.name, description: $0) }
        }
        return members.first { other in
            guard other.description.destination == end.entity,
                end.description.destination == other.entity
            else { return false }
            return other.description.name == end.description.inverse
                || other.description.inverse == end.description.name
        }
    }

    private func objects(of entity: String) -> [SampleObject] {
        samples.filter { model.isEntity($0.object.entity.name, kindOf: entity) }
    }

    // MARK: - Pairs

    private func relate(_ end: End) throws {
        let members = objects(of: end.description.destination)
        for (position, owner) in objects(of: end.entity).enumerated() {
            let chosen = others(members, than: owner, from: position + 1, end)
            try set(chosen, of: owner, end.description)
        }
    }

    private func relate(_ end: End, _ inverse: End) throws {
        let owners = objects(of: end.entity)
        let members = objects(of: inverse.entity)
        guard !owners.isEmpty, !members.isEmpty else { return }
        switch (end.description.isToMany, inverse.description.isToMany) {
        case (true, true):
            for (position, owner) in owners.enumerated() {
                let chosen = others(members, than: owner, from: position, end)
                try set(chosen, of: owner, end.description)
            }
        case (false, true): try distribute(owners, end, among: members, inverse)
        case (true, false): try distribute(members, inverse, among: owners, end)
        case (false, false):
            for (owner, member) in zip(owners, members)
            where !owner.isBare || end.isMandatory || inverse.isMandatory {
                try set([member], of: owner, end.description)
            }
        }
    }

    /// Gives each child a parent in turn, as long as the parent may have more.
    private func distribute(
        _ children: [SampleObject], _ toOne: End, among parents: [SampleObject], _ toMany: End
    ) throws {
        var counts = parents.map { _ in 0 }
        for (position, child) in children.enumerated() where !child.isBare || toOne.isMandatory {
            let order = parents.indices.map { (position / 2 + $0) % parents.count }
            let neediest = order.first { counts[$0] < toMany.counts.lowerBound }
            let free = order.first {
                counts[$0] < toMany.counts.upperBound
                    && parents[$0].object !== child.object
                    && (!parents[$0].isBare || toMany.isMandatory)
            }
            guard let parent = neediest ?? free else { continue }
            counts[parent] += 1
            try set([parents[parent]], of: child, toOne.description)
        }
    }

    /// Two of the objects, or as many as there must be.
    private func others(
        _ members: [SampleObject], than owner: SampleObject, from start: Int, _ end: End
    ) -> [SampleObject] {
        guard !owner.isBare || end.isMandatory, !members.isEmpty else { return [] }
        let count = min(max(2, end.counts.lowerBound), end.counts.upperBound, members.count)
        let turned = members.indices.map { members[(start + $0) % members.count] }
        return Array(turned.filter { $0.object !== owner.object }.prefix(count))
    }

    private func set(
        _ members: [SampleObject], of owner: SampleObject, _ relationship: RelationshipDescription
    ) throws {
        let objects = members.map(\.object)
        if relationship.isToMany {
            try owner.object.setValue(objects, forKey: relationship.name)
        } else {
            try owner.object.setValue(objects.first, forKey: relationship.name)
        }
    }
}
