// Changed values, and the values before the changes (spec §2.5).
extension ManagedObject {
    /// The properties whose values differ from those of the last fetch or save, with their current
    /// values.
    ///
    /// Has only persistent properties, and none that was set to an equal value. Of a new object it
    /// has those that differ from their defaults; of an object that only primitive setters have
    /// changed, none. Fires the fault.
    public final func changedValues() -> [String: Any?] {
        isToBeWritten ? values { isChanged($0) } : [:]
    }

    /// Whether a save may write the object's values.
    final var isToBeWritten: Bool { state.life.isToBeWritten }

    /// The persistent properties that were set since pending changes were last processed, with
    /// their current values.
    public final func changedValuesForCurrentEvent() -> [String: Any?] {
        guard state.flags.contains(.changedInEvent) else { return [:] }
        let (attributes, toMany) = (changes?.eventMask, contents?.eventMask)
        return values { property in
            if property.isTransient { return false }
            let mask = property.kind == .toMany ? toMany : attributes
            return mask.map { $0.contains(property.index) || $0.intersects(property.leaves) }
                ?? false
        }
    }

    /// The values of the last fetch or save, whatever was set since; nil for each key of a new
    /// object.
    ///
    /// - Parameter keys: The names of the properties; nil means all. Unknown names are left out.
    /// - Note: Fires the fault, and reads the to-many relationships that are asked for.
    public final func committedValues(forKeys keys: [String]? = nil) -> [String: Any?] {
        if state.isFault { fireFault(isForReading: true) }
        let properties = keys.map { $0.compactMap(binding.entity.property(named:)) }
        var values: [String: Any?] = [:]
        for property in properties ?? binding.entity.properties where !property.isHidden {
            values.updateValue(committedValue(of: property), forKey: property.name)
        }
        return values
    }

    private final func values(where isWanted: (Property) -> Bool) -> [String: Any?] {
        if state.isFault { fireFault(isForReading: true) }
        var values: [String: Any?] = [:]
        for property in binding.entity.properties where !property.isHidden && isWanted(property) {
            values.updateValue(currentValue(of: property), forKey: property.name)
        }
        return values
    }

    private final func isChanged(_ property: Property) -> Bool {
        if property.isTransient { return false }
        guard property.kind != .toMany else {
            return hasOtherMembers(in: property.index)
        }
        guard property.elements.isEmpty else {
            return property.elements.contains { isChanged($0.property) }
        }
        guard state.life.isInsertion else { return changedProperties.contains(property.index) }
        if property.kind == .toOne { return destination(of: property) != nil }
        return attributeValue(of: property) != property.defaultValue ?? .null
    }

    private final func committedValue(of property: Property) -> Any? {
        if state.life.isInsertion { return nil }
        if property.isTransient {
            let committed = managedObjectContext?.tracker.committedTransients[self]
            return (committed?[property.index] ?? attributeValue(of: property))
                .swiftValue(of: property.attributeType)
        }
        switch property.kind {
        case .attribute:
            return row.flatMap { property.swiftValue(of: storedValue(of: property, in: $0)) }
        case .toOne: return storedDestination(of: property)
        case .toMany:
            let members = destinations(of: property)
            guard let contents = contents?.relationships[property.index] else { return members }
            let (added, removed) = contents.difference
            return members.subtracting(added).union(removed)
        }
    }
}

// MARK: - Faults

extension ManagedObject {
    /// Whether the destinations of a relationship have not been read yet; fires no fault.
    ///
    /// - Returns: Also true if the entity has no relationship of this name.
    public final func hasFault(forRelationshipNamed name: String) -> Bool {
        guard let property = binding.entity.property(named: name), property.relationship != nil
        else { return true }
        if property.kind == .toOne { return isFault || destination(of: property)?.isFault ?? false }
        return !state.life.isNew && !hasLoadedDestinations(of: property)
    }

    /// The identifiers of the members of a to-many relationship, in their order if it has one.
    ///
    /// Makes no objects and fires no fault. Cost: one statement unless the members are in memory.
    /// - Throws: `PropertyError.unknownKey` if the entity has no such to-many relationship;
    ///   `StoreError` if reading fails.
    public final func objectIDs(
        forRelationshipNamed name: String
    ) throws -> [ManagedObjectID] {
        guard let property = binding.entity.property(named: name), property.kind == .toMany else {
            throw PropertyError(.unknownKey, entity: binding.entity.name, key: name)
        }
        let known = contents?.relationships[property.index]
        guard known == nil, !state.life.isInsertion, let context = managedObjectContext else {
            return orderedMembers(of: property).map(\.objectID)
        }
        return try destinationsAbove(of: property, in: context).map {
            ManagedObjectID(
                scope: context.binding($0.entityIndex, binding.storeNumber).scope, reference: $0.key
            )
        }
    }

    /// 0 if the values are in memory, 1 if they are not.
    public final var faultingState: Int { isFault ? 1 : 0 }
}
