// Conflicts of a save, settled as the merge policy says (spec §5.3 to §5.5).
extension ManagedObjectContext {
    /// Changes the objects in conflict so that the next attempt can succeed.
    ///
    /// - Throws: `SaveError` if the policy is to throw.
    func settle(
        _ conflict: PlanConflict, among objects: [ManagedObject], _ work: inout SaveWork
    ) throws {
        switch conflict.conflict {
        case .versions(let positions):
            try settleVersions(
                positions.map { objects[$0] }, wasCached: conflict.wasCached, &work)
        case .uniqueness(let collisions):
            try settleUniqueness(
                collisions.map { (objects[$0.position], $0.columns) }, &work)
        }
    }

    // MARK: - Versions

    private func settleVersions(
        _ objects: [ManagedObject], wasCached: Bool, _ work: inout SaveWork
    ) throws {
        let newest = try newestRows(of: objects)
        guard mergePolicy != .error else {
            throw SaveError.mergeConflicts(
                objects.map { conflict(of: $0, newest[$0], wasCached: wasCached) })
        }
        for object in objects {
            if let row = newest[object] {
                merge(row, into: object, &work)
            } else {
                mergeDeletion(of: object, &work)
            }
        }
    }

    private func newestRows(
        of objects: [ManagedObject]
    ) throws -> [ManagedObject: RowReference] {
        var newest: [ManagedObject: RowReference] = [:]
        for object in objects {
            let binding = object.binding
            coordinator.forgetRow(object.reference, binding.scope)
            newest[object] = try channel.row(
                object.reference, binding.scope, staleness: nil, keepsSnapshot: false)
        }
        return newest
    }

    private func conflict(
        of object: ManagedObject, _ newest: RowReference?, wasCached: Bool
    ) -> MergeConflict {
        let snapshot = newest.map { values(of: $0, object.binding.entity) }
        return MergeConflict(
            objectID: object.objectID,
            objectSnapshot: object.row.map { values(of: $0, object.binding.entity) } ?? [:],
            cachedSnapshot: wasCached ? snapshot : nil,
            persistedSnapshot: wasCached ? nil : snapshot,
            oldVersion: object.row?.version ?? 0, newVersion: newest?.version ?? 0)
    }

    private func values(of row: RowReference, _ entity: Entity) -> [String: AttributeValue] {
        Dictionary(
            uniqueKeysWithValues: entity.properties.compactMap { property in
                guard !property.isHidden,
                    let value = try? row.value(of: property, in: entity.layout)
                else { return nil }
                return value.isNull ? nil : (property.name, value)
            })
    }

    private func merge(_ theirs: RowReference, into object: ManagedObject, _ work: inout SaveWork) {
        if object.state.contains(.deleted) {
            object.row = theirs
            if mergePolicy.storeWins {
                object.state.subtract([.deleted, .deletionPropagated])
                work.deleted.removeAll { $0 === object }
            }
            return
        }
        guard let base = object.row else { return }
        let entity = object.binding.entity
        switch mergePolicy {
        case .mergeByPropertyStoreTrump:
            object.changedProperties.forEach { index in
                let property = entity.properties[index]
                if let slot = property.slot,
                    !theirs.hasSameValue(slot, as: base, in: entity.layout)
                {
                    object.changes?.remove(index)
                }
            }
        case .overwrite:
            for property in entity.properties
            where property.slot != nil && !(object.changes?.contains(property.index) ?? false) {
                object.unsavedValues[property.index] = value(of: base, property, object)
            }
        case .rollback:
            object.discardChanges()
            object.contents = nil
        case .mergeByPropertyObjectTrump, .error:
            break
        }
        object.row = theirs
    }

    /// The value of an attribute or to-one relationship in a row, as an unsaved value.
    private func value(
        of row: RowReference, _ property: Property, _ object: ManagedObject
    ) -> AttributeValue {
        let layout = object.binding.entity.layout
        guard property.kind == .toOne else { return object.storedValue(of: property, in: row) }
        guard let slot = property.slot, row.hasValue(slot) else { return .null }
        var entityIndex = property.relationship!.destinationIndex
        if let entitySlot = property.entitySlot, row.hasValue(entitySlot) {
            entityIndex = Int(row.integer(entitySlot, in: layout)) - 1
        }
        let scope = binding(entityIndex, object.binding.scope.storeNumber).scope
        return .objectID(ManagedObjectID(scope: scope, reference: row.integer(slot, in: layout)))
    }

    /// The row is gone: the object goes too, or its row comes back with the same key.
    private func mergeDeletion(of object: ManagedObject, _ work: inout SaveWork) {
        work.updated.removeAll { $0 === object }
        if mergePolicy.storeWins {
            detach(object)
        } else {
            object.state.insert(.inserted)
            work.inserted.append(object)
        }
    }

    // MARK: - Uniqueness

    private func settleUniqueness(
        _ collisions: [(object: ManagedObject, columns: [String])], _ work: inout SaveWork
    ) throws {
        var conflicts: [ConstraintConflict] = []
        for (object, columns) in collisions {
            let entity = object.binding.entity
            let constraint = columns.compactMap { column in
                entity.properties.first {
                    $0.attributeType != nil && $0.slot.map { entity.columns[$0] } == column
                }
            }
            let stored = try storedObject(sharing: constraint, with: object)
            if mergePolicy == .error {
                conflicts.append(
                    ConstraintConflict(
                        constraint: constraint.map(\.name),
                        values: constraint.map { object.attributeValue(of: $0) },
                        databaseObjectID: stored?.objectID,
                        conflictingObjectIDs: [object.objectID]))
                continue
            }
            if let stored {
                settle(object, against: stored, constraint, &work)
            } else if let other = pendingObject(sharing: constraint, with: object, work) {
                // The later object was refused: the policy says which of the two remains.
                let (victim, survivor) = mergePolicy.storeWins ? (object, other) : (other, object)
                replace(victim, by: survivor, &work)
            }
        }
        if !conflicts.isEmpty { throw SaveError.constraintConflicts(conflicts) }
    }

    private func storedObject(
        sharing constraint: [Property], with object: ManagedObject
    ) throws -> ManagedObject? {
        var request = FetchRequest(
            entityName: model.entities[object.binding.entity.rootIndex].name,
            predicate: .and(
                constraint.map { property in
                    .comparison(
                        .init(
                            .keyPath(property.name), .equal,
                            .constant(object.attributeValue(of: property))))
                }))
        // A constraint may be declared by a subentity only.
        let declaring = constraint.map(\.declaringEntityIndex).max() ?? 0
        request.entityName = model.entities[declaring].name
        request.fetchLimit = 2
        return try channel.fetchRows(request, entity: model.entities[declaring]).lazy
            .flatMap { fetched in
                self.objects(
                    of: fetched, root: self.model.entities[declaring], realised: true,
                    refreshes: false)
            }.first { $0 !== object }
    }

    private func pendingObject(
        sharing constraint: [Property], with object: ManagedObject, _ work: SaveWork
    ) -> ManagedObject? {
        let values = constraint.map { object.attributeValue(of: $0) }
        return (work.inserted + work.updated).first { other in
            other !== object && other.binding.entity.rootIndex == object.binding.entity.rootIndex
                && constraint.allSatisfy { $0.index < other.binding.entity.properties.count }
                && constraint.map { other.attributeValue(of: $0) } == values
        }
    }

    private func settle(
        _ object: ManagedObject, against stored: ManagedObject, _ constraint: [Property],
        _ work: inout SaveWork
    ) {
        if object.isInserted {
            if !mergePolicy.storeWins {
                for property in object.binding.entity.properties where property.attributeType != nil
                {
                    guard
                        mergePolicy == .overwrite
                            || object.changes?.contains(property.index) ?? false
                    else { continue }
                    stored.setAttribute(object.attributeValue(of: property), at: property.index)
                }
                if stored.isUpdated, !work.updated.contains(stored) { work.updated.append(stored) }
            }
            replace(object, by: stored, &work)
        } else if mergePolicy.storeWins {
            for property in constraint { object.changes?.remove(property.index) }
        } else {
            delete(stored)
            processPendingChanges()
            if !work.deleted.contains(stored) { work.deleted.append(stored) }
        }
    }

    /// Lets an object disappear and points what referred to it at another.
    private func replace(
        _ victim: ManagedObject, by survivor: ManagedObject, _ work: inout SaveWork
    ) {
        let id = victim.objectID
        let reference = ManagedObjectID(scope: victim.binding.scope, reference: victim.reference)
        for object in work.inserted + work.updated where object !== victim {
            guard let changes = object.changes else { continue }
            for property in object.binding.entity.properties where property.kind == .toOne {
                guard changes.contains(property.index),
                    case .objectID(let destination) = changes[property.index],
                    destination == id || object.destination(of: property) === victim
                        || destination == reference
                else { continue }
                object.setDestination(survivor, of: property)
            }
        }
        work.inserted.removeAll { $0 === victim }
        work.updated.removeAll { $0 === victim }
        victim.state.insert(.deleted)
        detach(victim)
    }
}
