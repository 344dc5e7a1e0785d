// What the model demands of an object before it is saved (spec §2.7). An entity that demands nothing costs nothing.
extension ManagedObject {
    /// Checks mandatory properties, the range of integers, and the counts of to-many relationships.
    final func validateProperties() throws {
        let entity = binding.entity
        for index in entity.validatedIndexes {
            let property = entity.properties[index]
            if let relationship = property.relationship {
                try validate(property, relationship)
            } else {
                try validateAttribute(property)
            }
        }
    }

    private final func validateAttribute(_ property: Property) throws {
        if !property.isOptional, isNull(property) {
            throw ValidationError(self, key: property.name, .missingMandatoryProperty)
        }
        if let range = property.attributeType?.integerRange, let changes,
            changes.contains(property.index), case .integer(let value) = changes[property.index],
            !range.contains(value)
        {
            throw ValidationError(
                self, key: property.name, .integerOutOfRange(value, property.attributeType!))
        }
    }

    private final func validate(_ property: Property, _ relationship: Relationship) throws {
        if property.kind == .toOne {
            if !property.isOptional, isNull(property) {
                throw ValidationError(self, key: property.name, .missingMandatoryProperty)
            }
            return
        }
        // Contents that were not touched are as they were when they were last checked.
        guard state.contains(.inserted) || contents?.relationships[property.index] != nil else {
            return
        }
        let count = destinations(of: property).count
        let minCount = max(relationship.minCount, property.isOptional ? 0 : 1)
        if count < minCount, !(property.isOptional && count == 0) {
            throw ValidationError(
                self, key: property.name, .tooFewObjects(minCount: minCount, count: count))
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            throw ValidationError(
                self, key: property.name,
                .tooManyObjects(maxCount: relationship.maxCount, count: count))
        }
    }

    /// Throws while a relationship with the deny rule has destinations that stay.
    final func validateDenyRules() throws {
        for property in binding.entity.properties {
            guard let relationship = property.relationship, relationship.deleteRule == .deny else {
                continue
            }
            let destinations =
                property.kind == .toOne
                ? destination(of: property).map { [$0] } ?? []
                : Array(destinations(of: property))
            let count = destinations.count { !$0.isDeleted }
            guard count == 0 else {
                throw ValidationError(self, key: property.name, .deniedDelete(count: count))
            }
        }
    }

    /// Whether a property that has a slot is nil.
    private final func isNull(_ property: Property) -> Bool {
        if let changes, changes.contains(property.index) {
            return changes[property.index].isNull
        }
        guard let slot = property.slot, let row else { return true }
        return !row.hasValue(slot)
    }
}
