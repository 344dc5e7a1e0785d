// Deleting, and what happens at the end of an event (spec §2.6, §2.10).
extension ManagedObjectContext {
    /// Marks an object so that the next save deletes it.
    ///
    /// Calls the object's `prepareForDeletion` at once. Delete rules are applied when pending
    /// changes are processed; a new object then leaves the context. Deleting twice does nothing.
    /// Source: spec §2.6.
    public func delete(_ object: ManagedObject) {
        checkQueue()
        if object.state.isDetached { return object.changeIsLost() }
        guard object.managedObjectContext === self else {
            fatalError(
                "\(object) belongs to another context and cannot be deleted here; look it up by its objectID."
            )
        }
        guard !object.state.isDeleted else { return }
        markDeleted(object)
        readingForProgram { object.prepareForDeletion() }
    }

    /// Makes the next save delete an object, without calling `prepareForDeletion`.
    func markDeleted(_ object: ManagedObject) {
        noteEvent(of: object)
        if hasChildren.load(ordering: .relaxed) { object.supersedeRow() }
        tracker.delete(object, as: .marked)
    }

    /// Inserts an object that was made without a context, or takes back a deletion that is not
    /// saved.
    ///
    /// Relationships that the deletion has cut stay cut.
    public func insert(_ object: ManagedObject) {
        checkQueue()
        if object.state.life == .unattached {
            guard object.binding.model === model else {
                fatalError("\(object) has another model than the context; use the context's model.")
            }
            object.binding.attach(
                to: self, coordinator.scopeForInsertion(of: object.binding.entity))
            object.enter(.inserted)
            object.state.flags = object.binding.initialFlags
            register(object)
            object.awakeFromInsert()
            return
        }
        if object.state.isDetached { return object.changeIsLost() }
        guard object.managedObjectContext === self else {
            fatalError("\(object) belongs to another context; create a new object.")
        }
        revive(object)
    }

    /// Takes back a deletion that has not been saved. If the row is gone, the next read finds that.
    func revive(_ object: ManagedObject) {
        guard object.state.isDeleted else { return }
        if object.state.deletion.isOfOthers { return expectRow(of: object) }
        noteEvent(of: object)
        tracker.withdrawDeletion(of: object)
    }

    /// Applies the delete rules of deleted objects and posts what has changed (spec §2.10).
    ///
    /// Happens by itself at the end of `perform`, at the start of `save`, and before undo and redo.
    /// Cost: the rules read the other ends of all deleted objects together, with one statement for
    /// each relationship at each level of a cascade.
    public func processPendingChanges() {
        checkQueue()
        processChanges(isSaving: false)
        assertPendingInvariants()
    }

    /// - Returns: The objects that have changed since pending changes were last processed.
    @discardableResult
    func processChanges(isSaving: Bool) -> [ManagedObject] {
        beginOperation()
        let unplaced: [ManagedObject] = readingForEngine {
            if isSaving, parent == nil {
                for object in tracker.deleted where object.state.deletion == .renewed {
                    object.applyDeleteRulesAgain()
                }
            }
            if isSaving || propagatesDeletesAtEndOfEvent { propagateDeletions() }
            guard model.hasOrderedRelationships else { return [] }
            var places = PlaceAssignment(in: self)
            places.run(isSaving: isSaving)
            return places.unplaced
        }
        guard !tracker.event.isEmpty else {
            // A save does not look for changes that observers would make now.
            endOperation(notifies: false)
            return []
        }
        defer { endOperation() }
        let changed = tracker.endEvent()
        let dropped = dropDeletedInsertions(among: changed)
        if undoManager != nil { registerUndo() }
        let changes = hasObservers ? changes(of: changed, dropped) : ObjectChanges()
        // Before observers are notified, because they may change objects themselves.
        changed.forEachBorrowed {
            if $0.isToBeInserted {
                $0.state.flags.insert(.announced)
            } else if $0.state.isDeleted {
                $0.state.flags.remove(.announced)
            }
        }
        if !changes.isEmpty { post(.objectsDidChange(changes)) }
        for object in unplaced where !object.state.isDetached { noteEvent(of: object) }
        return changed
    }

    /// - Parameter dropped: New objects that were deleted and that observers were notified of.
    private func changes(
        of objects: [ManagedObject], _ dropped: [ManagedObjectID]
    ) -> ObjectChanges {
        var changes = ObjectChanges(deleted: dropped)
        for object in objects where !object.state.isDetached {
            let id = object.objectID
            if object.state.isDeleted {
                // A new object stays until the save applies delete rules.
                if !object.state.life.isInsertion || object.state.flags.contains(.announced) {
                    changes.deleted.append(id)
                }
            } else if object.state.life.isInsertion, !object.state.flags.contains(.announced) {
                changes.inserted.append(id)
            } else {
                changes.updated.append(id)
            }
        }
        return changes
    }

    /// Detaches new objects that were deleted.
    ///
    /// - Returns: Those that observers were notified of.
    private func dropDeletedInsertions(among objects: [ManagedObject]) -> [ManagedObjectID] {
        let isDropped = { (object: ManagedObject) in
            object.state.life.isInsertion && object.state.deletion.isPropagated
        }
        if objects.allSatisfyBorrowed({ !isDropped($0) }) { return [] }
        let dropped = objects.filter(isDropped)
        let announced = dropped.filter { $0.state.flags.contains(.announced) }.map(\.objectID)
        dropUncut(dropped)
        for object in dropped { detach(object) }
        tracker.forgetDetached()
        return announced
    }

    // MARK: - Delete rules

    // The list grows while it is worked through: cascades append to it, level by level.
    func propagateDeletions() {
        var (position, levelEnd) = (0, 0)
        while position < tracker.deleted.count {
            guard position < levelEnd else {
                Prefetch(in: self).readEnds(
                    ofDeleted: tracker.deleted[position...].filter {
                        $0.state.deletion == .marked
                    }
                ) { $0 == .nullify || $0 == .cascade }
                // The list may have changed: values that are read wake the objects that have them.
                levelEnd = tracker.deleted.count
                continue
            }
            let object = tracker.deleted[position]
            position += 1
            guard object.state.deletion == .marked else { continue }
            noteEvent(of: object)
            object.state.deletion = .propagated
            do {
                try requiringReads {
                    for property in object.binding.entity.properties
                    where property.relationship != nil {
                        propagateDeletion(of: object, along: property)
                    }
                }
            } catch {
                // The next event tries again.
                object.state.deletion = .marked
            }
        }
    }

    private func propagateDeletion(of object: ManagedObject, along property: Property) {
        let relationship = property.relationship!
        switch (property.kind, relationship.deleteRule) {
        case (_, .noAction), (_, .deny), (.attribute, _):
            break
        case (.toOne, let rule):
            guard let destination = object.destination(of: property) else { return }
            if rule == .cascade { delete(destination) }
            destination.renewIfStale(property, of: object, in: self)
            if !destination.isDeleted || relationship.inverseIndex != nil {
                object.setDestination(nil, of: property)
            }
        case (.toMany, let rule):
            let members = object.destinations(of: property)
            object.readTogether(members, of: property)
            for destination in members {
                if rule == .cascade, !destination.state.isDetached { delete(destination) }
                destination.renewIfStale(property, of: object, in: self)
                object.change(destination, in: property, isAddition: false)
            }
        }
    }

    // MARK: - Members that are gone

    /// Removes deleted objects that leave the context from relationships that no delete rule has
    /// cut.
    func dropUncut(_ deleted: [ManagedObject]) {
        dropMembers(
            deleted.filter { object in
                // These may still be members: no rule was applied to rows found gone, no rule cuts
                // lasting members, and an object may have got an owner since.
                let wasFoundGone = object.row == nil && !object.state.life.isInsertion
                return wasFoundGone
                    || model.lastingMembers.contains(object.binding.entity.index)
                    || object.isMember
            })
    }

    /// Removes objects that are gone from the to-many relationships that have been read.
    func dropMembers(_ objects: [ManagedObject]) {
        guard !objects.isEmpty else { return }
        let gone = Set(objects)
        let roots = Set(objects.map(\.binding.rootIndex))
        for table in identityMap.tables
        where model.hasToManyRelationship(fromRoot: table.rootIndex, toRoots: roots) {
            table.forEach { $0.contents?.drop(gone) }
        }
    }

    /// Removes objects that are gone from the relationships of other objects.
    ///
    /// - Returns: The unsaved objects whose to-one relationships were set to nil.
    @discardableResult
    func dropReferences(to gone: [ManagedObject]) -> [ManagedObject] {
        dropMembers(gone)
        return cutReferences(to: gone)
    }

    /// Sets to-one relationships of unsaved objects to nil if their destination is gone.
    ///
    /// - Returns: The objects that have lost a destination.
    private func cutReferences(to objects: [ManagedObject]) -> [ManagedObject] {
        guard !objects.isEmpty else { return [] }
        let gone = Set(objects)
        var cut: [ManagedObject] = []
        for object in tracker.inserted + tracker.updated
        where object.state.life.isToBeWritten && !object.isFault && !object.isDeleted {
            for index in object.binding.entity.toOneIndexes
            where object.isInserted || object.changesBesideDraft?.contains(index) == true {
                let property = object.binding.entity.properties[index]
                if let destination = object.destination(of: property), gone.contains(destination) {
                    object.store(nil, in: property)
                    cut.append(object)
                }
            }
        }
        return cut
    }
}
