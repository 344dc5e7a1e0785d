/// Settles conflicts with changes made elsewhere by a kind of merge policy (spec §5.3, §5.4).
struct ConflictSettlement {
    let context: ManagedObjectContext
    let kind: MergePolicy.Kind

    func settle(_ conflicts: [MergeConflict]) throws {
        guard kind != .error else { throw SaveError.mergeConflicts(conflicts) }
        try settle(conflicts.compactMap { context.registeredObject(for: $0.objectID) })
    }

    /// Settles objects whose rows others have changed.
    func settle(_ objects: [ManagedObject]) throws {
        var settled: [SettledObject] = []
        var rolledBack: [ManagedObject] = []
        var gone: [ManagedObject] = []
        settled.reserveCapacity(objects.count)
        for object in objects {
            settled.append(SettledObject(object))
            if let row = try context.newestRows.row(of: object, in: context) {
                if kind == .rollback, !object.isDeleted { rolledBack.append(object) }
                merge(row, into: object)
            } else {
                mergeDeletion(of: object)
                if object.isDeleted { gone.append(object) }
            }
        }
        // Only now is it clear which other ends are deleted.
        for object in rolledBack { forgetPairs(of: object) }
        GoneObjects(context: context, objects: gone).dropReferences()
        try settleOtherEnds(of: settled)
    }

    /// Discards all pending changes of a changed object; the kind is `rollback`.
    func rollBack(_ object: ManagedObject) {
        guard let row = object.row else { return }
        merge(row, into: object)
        forgetPairs(of: object)
    }

    private func merge(_ theirs: RowReference, into object: ManagedObject) {
        let owners = object.ends
        defer {
            object.contents?.unload()
            // Objects that gain or lose this one as a member read their members again.
            for end in owners + object.ends { end?.contents?.unload() }
            object.awake(fromSnapshotEvents: .mergePolicy)
        }
        if object.isDeleted {
            object.row = theirs
            if kind.storeWins { return keep(object) }
            return object.applyDeleteRulesAgain()
        }
        if object.isInserted { return mergeInsertion(of: object, over: theirs) }
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
                object.unsavedValues[property.index] = object.unsavedValue(
                    of: property, in: base, context)
            }
        case .rollback: object.discardChanges()
        case .mergeByPropertyObjectTrump, .error: break
        }
        object.row = theirs
    }

    /// Settles an insertion whose row another context has brought back too. Either the insertion is
    /// discarded, or it becomes an update of all values.
    private func mergeInsertion(of object: ManagedObject, over theirs: RowReference) {
        context.tracker.withdrawInsertion(of: object)
        if kind.storeWins {
            object.discardChanges()
        } else {
            for property in object.binding.entity.properties where property.slot != nil {
                object.unsavedValues[property.index] =
                    property.kind == .toOne
                    ? object.destination(of: property).map { .objectID($0.objectID) } ?? .null
                    : object.attributeValue(of: property)
            }
            context.tracker.update(object)
        }
        object.row = theirs
    }

    /// Discards the unsaved pairs of an object, and the order of its members. A pair whose other
    /// object is deleted is removed with that object.
    private func forgetPairs(of object: ManagedObject) {
        for note in context.tracker.joins.keys
        where note.source === object || note.destination === object {
            let other = note.source === object ? note.destination : note.source
            guard !other.isDeleted else { continue }
            context.tracker.withdrawJoin(note)
            let property = note.source.binding.entity.properties[note.propertyIndex]
            note.source.forgetNotes(
                about: note.destination, in: property,
                context.model.inverse(of: property.relationship!))
            other.contents?.unload()
        }
        for index in object.binding.entity.orderedIndexes
        where object.binding.entity.properties[index].relationship!.isInJoinTable {
            object.contents?.relationships[index]?.forgetNotes()
        }
        object.contents?.unload()
    }

    /// The row is gone: the object is deleted, or its row is inserted again with the same key.
    private func mergeDeletion(of object: ManagedObject) {
        if kind.storeWins {
            context.tracker.delete(object, as: .propagated)
        } else {
            // Its stored pairs are gone with the row.
            object.contents?.unload()
            context.tracker.insertAgain(object)
        }
    }

    /// Takes back a deletion, because the row has changed and the store wins. Relationships that
    /// the deletion has cut stay cut.
    func keep(_ object: ManagedObject) {
        context.tracker.withdrawDeletion(of: object)
        context.tracker.withdrawUpdate(of: object)
        object.discardChanges()
        object.contents?.forgetOrders()
        if object.hasChangedRelationships { context.tracker.update(object) }
    }
}

extension ManagedObject {
    /// Has the delete rules of an object that is deleted here applied again, to what others have
    /// related to it in its newest row.
    final func applyDeleteRulesAgain() {
        guard state.deletion.isOrder else { return }
        discardChanges()
        managedObjectContext?.tracker.mark(self)
    }
}
