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
        if object.state.deletion.isOfOthers { return object.expectRow(in: self) }
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
            if isSaving || propagatesDeletesAtEndOfEvent {
                DeletePropagation(context: self).run()
            }
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
        let changes =
            hasObservers ? ObjectChanges(of: changed, dropped) : ObjectChanges()
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
        GoneObjects(context: self, objects: dropped).dropUncut()
        for object in dropped { detach(object) }
        tracker.forgetDetached()
        return announced
    }
}

extension ObjectChanges {
    /// What has changed in an event.
    ///
    /// - Parameter dropped: New objects that were deleted and that observers were notified of.
    fileprivate init(of objects: [ManagedObject], _ dropped: [ManagedObjectID]) {
        self.init(deleted: dropped)
        for object in objects where !object.state.isDetached {
            let id = object.objectID
            if object.state.isDeleted {
                // A new object stays until the save applies delete rules.
                if !object.state.life.isInsertion || object.state.flags.contains(.announced) {
                    deleted.append(id)
                }
            } else if object.state.life.isInsertion, !object.state.flags.contains(.announced) {
                inserted.append(id)
            } else {
                updated.append(id)
            }
        }
    }
}
