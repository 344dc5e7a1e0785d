// Going back: to the last save, to the newest rows, to an empty context (spec §2.8).
extension ManagedObjectContext {
    /// Discards all unsaved changes: new objects leave the context, changed and deleted ones get their values back. What
    /// could be undone and redone is forgotten.
    ///
    /// No statement is run.
    public func rollback() {
        checkQueue()
        defer { assertInvariants() }
        let discarded = tracker
        forgetChanges()
        var gone: [ManagedObjectID] = []
        for object in discarded.inserted where object.state.contains(.inserted) {
            if object.state.contains(.announced) { gone.append(object.objectID) }
            detach(object)
        }
        var restored: [ManagedObject] = []
        for object in discarded.updated + discarded.deleted
        where !object.state.contains(.detached) && object.hasChanges {
            let unsaved = object.changesBesideDraft?.mask ?? PropertyMask()
            object.state.subtract([
                .updated, .deleted, .deletionPropagated, .inaccessible, .changedInEvent,
                .relationshipChanged,
            ])
            // Its row was gone, and may be back.
            if object.row == nil { object.state.insert(.fault) }
            object.discardChanges()
            for (index, value) in discarded.committedTransients[object] ?? [:] {
                object.unsavedValues[index] = value
            }
            object.contents = nil
            unsaved.forEach { object.unloadStoredOwner(at: $0) }
            restored.append(object)
        }
        for object in restored { object.awake(fromSnapshotEvents: .rollback) }
        guard hasObservers, !gone.isEmpty || !restored.isEmpty else { return }
        post(
            .objectsDidChange(
                ObjectChanges(deleted: gone, refreshed: restored.map(\.objectID))))
    }

    /// Returns the context to its first state: every object is detached, all unsaved changes are lost, nothing can be
    /// undone any more.
    ///
    /// Contexts below this one follow when their queue is next entered: what their objects came from is gone (spec §4.2).
    /// No statement is run.
    public func reset() {
        checkQueue()
        returnToFirstState()
        tellDescendantsOfReset()
        assertInvariants()
    }

    // To all of them at once: a grandchild may be entered before the child that would have told it.
    private func tellDescendantsOfReset() {
        for child in liveChildren {
            child.mailbox.withLock { $0.parentWasReset = true }
            child.tellDescendantsOfReset()
        }
    }

    /// Resets the context if one above it was reset since its queue was last entered.
    func followReset() {
        let wasReset = mailbox.withLock { mailbox in
            defer { mailbox.parentWasReset = false }
            return mailbox.parentWasReset
        }
        if wasReset { returnToFirstState() }
    }

    private func returnToFirstState() {
        forgetChanges()
        let objects = identityMap.objects
        let invalidated = hasObservers ? objects.map(\.objectID) : []
        for object in objects {
            object.turnIntoFault()
            object.state = [.fault, .detached]
        }
        identityMap.removeAll()
        guard hasObservers else { return }
        post(.objectsDidChange(ObjectChanges(invalidated: invalidated, invalidatesAll: true)))
    }

    private func forgetChanges() {
        tracker.reset()
        failedReads.forgetAll()
        undoRecorder.forgetChanges()
        undoManager?.removeAllActions()
    }

    // MARK: - Refreshing

    /// Makes an object take the newest values: those in the row cache, subject to `stalenessInterval`.
    ///
    /// If `mergeChanges` is true, a changed object keeps its unsaved values and the others are
    /// renewed. If it is false, they are discarded, and the other ends of its relationships stay as
    /// they are. A clean object becomes a fault either way. A new object gets its default values
    /// again unless changes are merged.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        checkQueue()
        defer { assertPendingInvariants() }
        guard object.managedObjectContext === self else { return }
        if !mergeChanges || !object.hasChanges { failedReads.forget(object) }
        refreshSilently(object, mergeChanges: mergeChanges)
        if hasObservers {
            post(.objectsDidChange(ObjectChanges(refreshed: [object.objectID])))
        }
    }

    /// Refreshes every object, keeping unsaved changes; clean objects become faults.
    public func refreshAllObjects() {
        checkQueue()
        let objects = identityMap.objects
        for object in objects {
            if !object.hasChanges { failedReads.forget(object) }
            refreshSilently(object, mergeChanges: true)
        }
        if hasObservers {
            post(.objectsDidChange(ObjectChanges(refreshed: objects.map(\.objectID))))
        }
        assertInvariants()
    }

    func refreshSilently(_ object: ManagedObject, mergeChanges: Bool) {
        if object.state.contains(.inaccessible) { expectRow(of: object) }
        if mergeChanges, object.hasChanges { return renewRow(of: object) }
        object.turnIntoFault()
        guard object.state.contains(.updated) else { return }
        tracker.withdrawUpdate(of: object)
        // What a relationship without an inverse leads to is a matter of this object alone.
        tracker.withdrawJoins { note in
            let property = note.source.binding.entity.properties[note.propertyIndex]
            return note.source === object && model.inverse(of: property.relationship!) == nil
        }
    }

    /// Lets unsaved changes stand over the newest row.
    private func renewRow(of object: ManagedObject) {
        if object.state.isNew { return }
        object.contents?.unload()
        if object.state.contains(.inserted) { return }
        // What a fetch has given it may be older.
        if object.isFault { return object.row = nil }
        guard
            let newest = try? askAbove(
                about: object,
                {
                    try channel.row(
                        object.reference, object.binding.scope, staleness: stalenessInterval,
                        keepsSnapshot: false)
                })
        else { return }
        object.forgetEqualValues()
        object.row = newest
        object.awake(fromSnapshotEvents: .refresh)
    }

    // MARK: - Leaving

    /// Takes an object out of the context for good.
    func detach(_ object: ManagedObject) {
        identityMap.remove(object)
        object.turnIntoFault()
        object.state = [.fault, .detached]
    }
}
