// What the model demands of an object before it is saved (spec §2.7). An entity that demands nothing costs nothing.
extension ManagedObject {
    /// Checks mandatory properties, the range of integers, and the counts of to-many relationships.
    final func validateProperties() throws {
        let entity = binding.entity
        for index in entity.validatedIndexes { try validateValue(at: index) }
        for index in entity.countedIndexes { try validateCount(of: entity.properties[index]) }
    }

    private final func validateValue(at index: Int) throws {
        let accessor = binding.accessors[index]
        if let changes, changes.contains(index) {
            let value = changes[index]
            if accessor.isMandatory, value.isNull {
                throw error(index, .missingMandatoryProperty)
            }
            guard accessor.integerBitWidth > 0, let integer = value.integer else { return }
            let limit: Int64 = 1 << Int64(accessor.integerBitWidth - 1)
            if integer < -limit || integer >= limit {
                let type = binding.entity.properties[index].attributeType!
                throw error(index, .integerOutOfRange(integer, type))
            }
        } else if accessor.isMandatory, !(rowStart?.rowHasValue(Int(accessor.slot)) ?? false) {
            throw error(index, .missingMandatoryProperty)
        }
    }

    private final func error(_ index: Int, _ reason: ValidationError.Reason) -> ValidationError {
        ValidationError(self, key: binding.entity.properties[index].name, reason)
    }

    private final func validateCount(of property: Property) throws {
        // Contents that were not touched are as they were when they were last checked.
        guard state.contains(.inserted) || contents?.relationships[property.index] != nil else {
            return
        }
        let relationship = property.relationship!
        let count = destinations(of: property).count
        let minCount = max(relationship.minCount, property.isOptional ? 0 : 1)
        if count < minCount, !(property.isOptional && count == 0) {
            throw error(property.index, .tooFewObjects(minCount: minCount, count: count))
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            throw error(
                property.index, .tooManyObjects(maxCount: relationship.maxCount, count: count))
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
}
