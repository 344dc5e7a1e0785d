// Settling conflicts with changes made elsewhere, by the merge policy (spec §5.3, §5.4). The
// coordinator's `save` and the stores find them.
extension ManagedObjectContext {
    /// Describes a conflict, and lets the merge policy change objects so that the next attempt
    /// succeeds.
    func settle(
        _ conflict: PlanConflict, among objects: [ManagedObject], _ work: SaveWork
    ) throws {
        switch conflict.conflict {
        case .versions(let positions):
            // Another program has inserted rows with the keys of new objects. No policy covers
            // this.
            guard !positions.contains(where: { objects[$0].state.life.isNew }) else {
                throw SaveError.unresolvedConflicts
            }
            let conflicting = positions.map { objects[$0] }
            defer { newestRows = [:] }
            try readNewestRows(of: conflicting)
            let conflicts = try conflicting.map {
                try describe($0, wasCached: conflict.wasCached)
            }
            try mergePolicy.resolve(conflicts, in: self)
        case .uniqueness(let collisions):
            try mergePolicy.resolve(
                describe(collisions.map { (objects[$0.position], $0.slots) }, work), in: self)
        }
        processChanges(isSaving: true)
    }

    private func describe(
        _ object: ManagedObject, wasCached: Bool
    ) throws -> MergeConflict {
        let newest = try uncachedRow(of: object)
        let snapshot = newest.map { values(of: $0, object) }
        return MergeConflict(
            objectID: object.objectID,
            objectSnapshot: object.row.map { values(of: $0, object) } ?? [:],
            cachedSnapshot: wasCached ? snapshot : nil,
            persistedSnapshot: wasCached ? nil : snapshot,
            oldVersion: object.row?.version ?? 0, newVersion: newest?.version ?? 0)
    }

    /// Reads the newest rows of objects in one statement a store for each entity. A single object
    /// reads its own when it is asked for.
    func readNewestRows(of objects: some Sequence<ManagedObject>) throws {
        let unread = Set(objects).filter { newestRows[$0] == nil }
        for group in Dictionary(grouping: unread, by: { ObjectIdentifier($0.binding) }).values
        where group.count > 1 {
            let binding = group[0].binding
            for object in group { coordinator.forgetRow(object.reference, binding.scope) }
            let found = try channel.rows(
                group.map(\.reference).sorted(), entity: binding.entity,
                storeNumber: binding.storeNumber)
            let rows = Dictionary(
                found.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            for object in group {
                let row = rows[object.reference]
                // An identifier may name an entity other than that of its row.
                let isOwn = row?.entityIndex == binding.entity.index
                newestRows[object] = .some(isOwn ? row : nil)
            }
        }
    }

    func newestRow(of object: ManagedObject) throws -> RowReference? {
        if let known = newestRows[object] { return known }
        // Only contexts without a parent have conflicts.
        return try channel.row(
            object.reference, object.binding.scope, ReadOptions())
    }

    /// The newest row, read again even if it is cached.
    func uncachedRow(of object: ManagedObject) throws -> RowReference? {
        if newestRows[object] == nil {
            coordinator.forgetRow(object.reference, object.binding.scope)
        }
        return try newestRow(of: object)
    }

    /// The attributes and to-one destinations in a row, by name. Absent are nulls, and values in
    /// files that the other save has removed.
    func values(of row: RowReference, _ object: ManagedObject) -> [String: AttributeValue] {
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
                let value = value(of: row, property, object)
                return value.isNull ? nil : (property.name, value)
            })
    }

    // MARK: - Settling

    /// Applies a kind of policy to objects that were changed elsewhere.
    func settle(_ conflicts: [MergeConflict], by kind: MergePolicy.Kind) throws {
        guard kind != .error else { throw SaveError.mergeConflicts(conflicts) }
        var settled: [SettledObject] = []
        var rolledBack: [ManagedObject] = []
        var gone: [ManagedObject] = []
        for conflict in conflicts {
            guard let object = registeredObject(for: conflict.objectID) else { continue }
            settled.append(SettledObject(object))
            if let row = try newestRow(of: object) {
                if kind == .rollback, !object.isDeleted { rolledBack.append(object) }
                merge(row, into: object, by: kind)
            } else {
                mergeDeletion(of: object, by: kind)
                if object.isDeleted { gone.append(object) }
            }
        }
        // Only now is it clear which other ends are deleted.
        for object in rolledBack { forgetPairs(of: object) }
        dropReferences(to: gone)
        try settleOtherEnds(of: settled, by: kind)
    }

    /// Discards all pending changes of a changed object.
    func rollBack(_ object: ManagedObject) {
        guard let row = object.row else { return }
        merge(row, into: object, by: .rollback)
        forgetPairs(of: object)
    }

    private func merge(
        _ theirs: RowReference, into object: ManagedObject, by kind: MergePolicy.Kind
    ) {
        let owners = object.ends
        defer {
            object.contents?.unload()
            // Objects that gain or lose this one as a member read their members again.
            for ends in [owners, object.ends] { ends.values.forEach { $0.contents?.unload() } }
            object.awake(fromSnapshotEvents: .mergePolicy)
        }
        if object.isDeleted {
            object.row = theirs
            if kind.storeWins { return keep(object) }
            return object.applyDeleteRulesAgain()
        }
        if object.isInserted { return mergeInsertion(of: object, over: theirs, by: kind) }
        guard let base = object.row else { return }
        object.forgetEqualValues()
        let entity = object.binding.entity
        switch kind {
        case .mergeByPropertyStoreTrump:
            var lost = PropertyMask()
            object.changedProperties.forEach { index in
                let property = entity.properties[index]
                if let slot = property.slot,
                    !theirs.hasSameValue(slot, as: base, in: entity.layout)
                {
                    lost.insert(index)
                }
            }
            entity.completing(lost).forEach { object.changes?.remove($0) }
        case .overwrite:
            for property in entity.properties
            where property.slot != nil && !(object.changes?.contains(property.index) ?? false) {
                // The same file need not be read and written again.
                if base.externalValue(property.slot!, in: entity.layout) != nil,
                    base.hasSameValue(property.slot!, as: theirs, in: entity.layout)
                {
                    continue
                }
                object.unsavedValues[property.index] = value(of: base, property, object)
            }
        case .rollback: object.discardChanges()
        case .mergeByPropertyObjectTrump, .error: break
        }
        object.row = theirs
    }

    /// Settles an insertion whose row another context has brought back too. Either the insertion is
    /// discarded, or it becomes an update of all values.
    private func mergeInsertion(
        of object: ManagedObject, over theirs: RowReference, by kind: MergePolicy.Kind
    ) {
        tracker.withdrawInsertion(of: object)
        if kind.storeWins {
            object.discardChanges()
        } else {
            for property in object.binding.entity.properties where property.slot != nil {
                object.unsavedValues[property.index] =
                    property.kind == .toOne
                    ? object.destination(of: property).map { .objectID($0.objectID) } ?? .null
                    : object.attributeValue(of: property)
            }
            tracker.update(object)
        }
        object.row = theirs
    }

    /// Discards the unsaved pairs of an object, and the order of its members. A pair whose other
    /// object is deleted is removed with that object.
    private func forgetPairs(of object: ManagedObject) {
        for note in tracker.joins.keys
        where note.source === object || note.destination === object {
            let other = note.source === object ? note.destination : note.source
            guard !other.isDeleted else { continue }
            tracker.withdrawJoin(note)
            let property = note.source.binding.entity.properties[note.propertyIndex]
            note.source.forgetNotes(
                about: note.destination, in: property, model.inverse(of: property.relationship!))
            other.contents?.unload()
        }
        for index in object.binding.entity.orderedIndexes
        where object.binding.entity.properties[index].relationship!.isInJoinTable {
            object.contents?.relationships[index]?.forgetNotes()
        }
        object.contents?.unload()
    }

    /// The value of an attribute or to-one relationship in a row, as an unsaved value.
    private func value(
        of row: RowReference, _ property: Property, _ object: ManagedObject
    ) -> AttributeValue {
        guard property.kind == .toOne else { return object.storedValue(of: property, in: row) }
        guard let destination = row.destination(of: property, in: object.binding.entity.layout)
        else { return .null }
        let scope = binding(destination.entityIndex, object.binding.scope.storeNumber).scope
        return .objectID(ManagedObjectID(scope: scope, reference: destination.key))
    }

    /// The row is gone: the object is deleted, or its row is inserted again with the same key.
    private func mergeDeletion(of object: ManagedObject, by kind: MergePolicy.Kind) {
        if kind.storeWins {
            tracker.delete(object, as: .propagated)
        } else {
            // Its stored pairs are gone with the row.
            object.contents?.unload()
            tracker.insertAgain(object)
        }
    }
}

extension ManagedObject {
    /// Has the delete rules of an object that is deleted here applied again, to what others have
    /// related to it in its newest row.
    final func applyDeleteRulesAgain() {
        guard state.deletion.isOrder else { return }
        discardChanges()
        state.deletion = .marked
    }
}
