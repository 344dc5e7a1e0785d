// Settling violated uniqueness constraints (spec §5.5).
extension ConflictSettlement {
    func settle(_ conflicts: [ConstraintConflict]) throws {
        guard kind != .error else { throw SaveError.constraintConflicts(conflicts) }
        for conflict in conflicts {
            // Settling earlier conflicts may have settled this one for some objects.
            func concerned(_ id: ManagedObjectID) -> ManagedObject? {
                guard let object = context.registeredObject(for: id) else { return nil }
                return object.givesUp(conflict.values, of: conflict.constraint) ? nil : object
            }
            settle(
                conflict.conflictingObjectIDs.compactMap(concerned),
                conflict.databaseObjectID.flatMap(concerned), Set(conflict.constraint))
        }
    }

    /// - Parameter pending: Changed objects before new ones, each in the order in which they
    ///   changed.
    private func settle(
        _ pending: [ManagedObject], _ stored: ManagedObject?, _ constraint: Set<String>
    ) {
        let existing = pending.filter { !$0.isInserted }
        var survivor: ManagedObject
        if let stored, existing.isEmpty || kind.storeWins {
            survivor = stored
        } else if let changed = kind.storeWins ? existing.first : existing.last {
            survivor = changed
            if let stored { context.delete(stored) }
        } else if let new = kind.storeWins ? pending.first : pending.last {
            survivor = new
        } else {
            return
        }
        for object in existing where object !== survivor {
            if kind.storeWins {
                giveUp(constraint, of: object)
            } else {
                context.delete(object)
            }
        }
        for object in pending where object.isInserted && object !== survivor {
            if !kind.storeWins, !survivor.isInserted {
                copyValues(of: object, to: survivor, all: kind == .overwrite)
            }
            replace(object, by: survivor)
        }
    }

    private func giveUp(_ constraint: Set<String>, of object: ManagedObject) {
        if kind == .rollback { return rollBack(object) }
        for property in object.binding.entity.properties where constraint.contains(property.name) {
            object.changes?.remove(property.index)
        }
    }

    /// Copies the attributes and to-one destinations that were set on an object, or all of them, to
    /// the survivor. An attribute with its default value does not count as set, so the stored value
    /// stays.
    private func copyValues(of object: ManagedObject, to survivor: ManagedObject, all: Bool) {
        for property in object.binding.entity.properties
        where property.isProperty(of: survivor.binding.entity) && !property.isTransient
            && !property.isElement
        {
            guard all || object.hasOwnValue(property) else { continue }
            switch property.kind {
            case .attribute:
                survivor.setAttribute(object.attributeValue(of: property), at: property.index)
            case .toOne: survivor.setDestination(object.destination(of: property), of: property)
            case .toMany: break
            }
        }
    }

    /// Deletes a new object and redirects references to the survivor.
    private func replace(_ victim: ManagedObject, by survivor: ManagedObject) {
        for property in victim.binding.entity.properties {
            switch property.kind {
            case .attribute: break
            case .toOne: victim.setDestination(nil, of: property)
            case .toMany:
                for member in victim.destinations(of: property) {
                    victim.change(member, in: property, isAddition: false)
                    if property.isProperty(of: survivor.binding.entity) {
                        survivor.change(member, in: property, isAddition: true)
                    }
                }
            }
        }
        func successor(in property: Property) -> ManagedObject? {
            let destination = context.model.destination(of: property.relationship!)
            return survivor.binding.entity.isKind(of: destination) ? survivor : nil
        }
        // References without an inverse, and those from the other end of a one-to-one relationship.
        // An object that a child has saved has its references in a row.
        for object in context.tracker.inserted + context.tracker.updated where object !== victim {
            let isOfChild = object.isInserted && object.row != nil
            for index in object.binding.entity.toOneIndexes
            where isOfChild || object.changesBesideDraft?.contains(index) ?? false {
                let property = object.binding.entity.properties[index]
                if object.destination(of: property) === victim {
                    object.setDestination(successor(in: property), of: property)
                }
            }
        }
        for (note, isAddition) in context.tracker.joins
        where note.destination === victim && isAddition {
            let property = note.source.binding.entity.properties[note.propertyIndex]
            note.source.change(victim, in: property, isAddition: false)
            if let successor = successor(in: property) {
                note.source.change(successor, in: property, isAddition: true)
            }
        }
        context.tracker.delete(victim, as: .propagated)
    }
}

extension ManagedObject {
    /// Whether the new object was given another value than the default, for a composite attribute
    /// in one element at least.
    fileprivate func hasOwnValue(_ property: Property) -> Bool {
        property.isComposite
            ? property.elements.contains { hasOwnValue($0.property) }
            : hasSet(property) && !hasDefault(property)
    }

    /// Whether the new object was given a value. Setting nil counts, except in an object that a
    /// child has saved, of which there is only the row.
    fileprivate func hasSet(_ property: Property) -> Bool {
        if let changes, changes.contains(property.index) { return true }
        guard let row, let slot = property.slot else { return false }
        return row.hasValue(slot)
    }

    /// Whether an attribute has the default value that the model gives it; false without one.
    fileprivate func hasDefault(_ property: Property) -> Bool {
        guard let value = property.defaultValue else { return false }
        return attributeValue(of: property) == value
    }

    /// Whether the next save removes these values from the object, or deletes the object.
    func givesUp(_ values: [AttributeValue], of names: [String]) -> Bool {
        if isDeleted { return true }
        guard isUpdated, let changes else { return false }
        return zip(names, values).contains { name, value in
            guard let property = binding.entity.property(named: name) else { return false }
            return changes.contains(property.index) && changes[property.index] != value
        }
    }
}

extension Property {
    /// Whether the entity has this property, declared or inherited.
    func isProperty(of entity: Entity) -> Bool {
        index < entity.properties.count && entity.properties[index].identifier == identifier
    }
}
