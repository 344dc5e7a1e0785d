/// Describes a conflict in the plan of one store for the merge policy (spec §5.3, §5.5). The
/// coordinator's `save` and the stores find conflicts.
struct ConflictDescription {
    let context: ManagedObjectContext

    /// The objects of the rows of the plan.
    let objects: [ManagedObject]
    let work: SaveWork

    // MARK: - Versions

    /// The objects that were changed elsewhere. Their newest rows are read, that of a single one when
    /// it is asked for.
    func changedElsewhere(at positions: [Int]) throws -> [ManagedObject] {
        let conflicting = positions.map { objects[$0] }
        try context.newestRows.read(of: Set(conflicting), in: context)
        return conflicting
    }

    func mergeConflict(of object: ManagedObject, wasCached: Bool) throws -> MergeConflict {
        let newest = try context.newestRows.row(of: object, in: context)
        let snapshot = newest.map { values(of: $0, object) }
        return MergeConflict(
            objectID: object.objectID,
            objectSnapshot: object.row.map { values(of: $0, object) } ?? [:],
            cachedSnapshot: wasCached ? snapshot : nil,
            persistedSnapshot: wasCached ? nil : snapshot,
            oldVersion: object.row?.version ?? 0, newVersion: newest?.version ?? 0)
    }

    /// The attributes and to-one destinations in a row, by name. Absent are nulls, and values in
    /// files that the other save has removed.
    private func values(of row: RowReference, _ object: ManagedObject) -> [String: AttributeValue] {
        let entity = object.binding.entity
        return Dictionary(
            uniqueKeysWithValues: entity.properties.compactMap { property in
                guard !property.isHidden else { return nil }
                if let slot = property.slot,
                    let file = row.externalValue(slot, in: entity.layout)
                {
                    let data = try? file.data(of: property.name, entity.name)
                    return data.map { (property.name, AttributeValue.data($0)) }
                }
                let value = object.unsavedValue(of: property, in: row, context)
                return value.isNull ? nil : (property.name, value)
            })
    }

    // MARK: - Uniqueness

    /// The collisions that a store has found, with one conflict for objects of equal values.
    func constraintConflicts(
        of collisions: [(position: Int, slots: [Int])]
    ) throws -> [ConstraintConflict] {
        var conflicts: [ConstraintConflict] = []
        var described: Set<ConstraintKey> = []
        let pending = Dictionary(grouping: work.updated + work.inserted) { TableKey($0) }
        for (position, slots) in collisions {
            let object = objects[position]
            let constraint = constraint(over: slots, object.binding.entity)
            let key = ConstraintKey(
                properties: constraint.map(\.identifier),
                values: constraint.map { object.attributeValue(of: $0) })
            guard described.insert(key).inserted else { continue }
            let sharing = pending[TableKey(object), default: []].filter { other in
                constraint.allSatisfy { $0.isProperty(of: other.binding.entity) }
                    && constraint.map { other.attributeValue(of: $0) } == key.values
            }
            let stored = try storedObject(
                with: key.values, of: constraint, in: object.binding.scope, besides: sharing)
            conflicts.append(
                ConstraintConflict(
                    constraint: constraint.map(\.name), values: key.values,
                    databaseObjectID: stored?.objectID,
                    databaseSnapshot: stored.flatMap { stored in
                        stored.row.map { values(of: $0, stored) }
                    },
                    conflictingObjectIDs: sharing.map(\.objectID),
                    conflictingSnapshots: sharing.map { object in
                        object.row.map { values(of: $0, object) } ?? [:]
                    }))
        }
        return conflicts
    }

    private struct ConstraintKey: Hashable {
        let properties: [UInt32]
        let values: [AttributeValue]
    }

    private func constraint(over slots: [Int], _ entity: Entity) -> [Property] {
        slots.compactMap { slot in
            entity.properties.first { $0.attributeType != nil && $0.slot == slot }
        }
    }

    private func storedObject(
        with values: [AttributeValue], of constraint: [Property], in scope: ObjectIDScope,
        besides pending: [ManagedObject]
    ) throws -> ManagedObject? {
        // The constraint may be declared by a subentity.
        let entity = context.model.entities[constraint.map(\.declaringEntityIndex).max() ?? 0]
        var request = FetchRequest(
            entityName: entity.name,
            predicate: .and(
                zip(constraint, values).map { property, value in
                    .comparison(.init(.keyPath(property.name), .equal, .constant(value)))
                }))
        // Each store has its own indexes.
        request.affectedStores = scope.storeIdentifier.map { [$0] }
        let found = try context.askAbove {
            try context.channel.fetchRows(request, entity: entity, ReadOptions())
        }
        return found.lazy.flatMap { fetched in
            context.objects(of: fetched, root: entity, realised: true, refreshes: false)
        }.first { !pending.contains($0) && !$0.givesUp(values, of: constraint.map(\.name)) }
    }
}

extension ManagedObject {
    /// The value of an attribute or to-one relationship in a row, as an unsaved value.
    final func unsavedValue(
        of property: Property, in row: RowReference, _ context: ManagedObjectContext
    ) -> AttributeValue {
        guard property.kind == .toOne else { return storedValue(of: property, in: row) }
        guard let destination = row.destination(of: property, in: binding.entity.layout)
        else { return .null }
        let scope = context.binding(destination.entityIndex, binding.scope.storeNumber).scope
        return .objectID(ManagedObjectID(scope: scope, reference: destination.key))
    }
}
