// Going back: to the last save, to the newest rows, to an empty context (spec §2.8).
extension ManagedObjectContext {
    /// Discards all pending changes: new objects leave the context, changed and deleted ones get
    /// their values back. All undo and redo actions are removed.
    ///
    /// No statement is run.
    public func rollback() {
        checkQueue()
        beginOperation()
        defer { endOperation() }
        defer { assertInvariants() }
        let discarded = tracker
        forgetChanges()
        var gone: [ManagedObjectID] = []
        for object in discarded.inserted where object.state.life.isInsertion {
            if object.state.flags.contains(.announced) { gone.append(object.objectID) }
            detach(object)
        }
        var restored: [ManagedObject] = []
        for object in discarded.updated + discarded.deleted
        where !object.state.isDetached && object.hasChanges {
            let unsaved = object.changesBesideDraft?.mask ?? PropertyMask()
            object.forgetPendingChanges()
            for (index, value) in discarded.committedTransients[object] ?? [:] {
                object.unsavedValues[index] = value
            }
            unsaved.forEach { object.unloadStoredOwner(at: $0) }
            restored.append(object)
        }
        for object in restored { object.awake(fromSnapshotEvents: .rollback) }
        guard hasObservers, !gone.isEmpty || !restored.isEmpty else { return }
        post(
            .objectsDidChange(
                ObjectChanges(deleted: gone, refreshed: restored.map(\.objectID))))
    }

    /// Returns the context to its first state: every object is detached, all pending changes are
    /// discarded, all undo and redo actions are removed.
    ///
    /// Contexts below this one are reset when their queue is next entered, because the rows of
    /// their objects came from this context (spec §4.2). No statement is run.
    public func reset() {
        checkQueue()
        beginOperation()
        defer { endOperation() }
        returnToFirstState()
        notifyDescendantsOfReset()
        assertInvariants()
    }

    // Notifies all descendants at once: the queue of a grandchild may be entered before its
    // parent's.
    private func notifyDescendantsOfReset() {
        for child in liveChildren {
            child.pendingUpdates.withLock { $0.parentWasReset = true }
            child.notifyDescendantsOfReset()
        }
    }

    /// Resets the context if one above it was reset since its queue was last entered, and follows
    /// the context on the coordinator to another generation.
    func followReset() {
        let (wasReset, hasMoved) = pendingUpdates.withLock { pendingUpdates in
            defer {
                pendingUpdates.parentWasReset = false
                pendingUpdates.parentHasMoved = false
            }
            return (pendingUpdates.parentWasReset, pendingUpdates.parentHasMoved)
        }
        if wasReset { returnToFirstState() }
        if hasMoved { forgetRowsOfFaults() }
    }

    private func returnToFirstState() {
        beginOperation()
        defer { endOperation() }
        forgetChanges()
        let objects = identityMap.objects
        let invalidated = hasObservers ? objects.map(\.objectID) : []
        for object in objects {
            object.turnIntoFault()
            object.state = .detached
        }
        identityMap.removeAll()
        moveToNewestGeneration()
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

    /// Makes an object take the newest values from the row cache, subject to `stalenessInterval`.
    ///
    /// If `mergeChanges` is true, a changed object keeps its unsaved values, and its other values
    /// are read again. If it is false, unsaved values are discarded; the other ends of the object's
    /// relationships keep their changes. A clean object becomes a fault either way. A new object
    /// gets its default values again unless changes are merged.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        checkQueue()
        beginOperation()
        defer { endOperation() }
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
        beginOperation()
        defer { endOperation() }
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
        if object.state.deletion == .foundGone { expectRow(of: object) }
        if mergeChanges, object.hasChanges { return renewRow(of: object) }
        object.turnIntoFault()
        guard object.state.life == .updated else { return }
        tracker.withdrawUpdate(of: object)
        // A relationship without an inverse belongs to this object alone.
        tracker.withdrawJoins { note in
            let property = note.source.binding.entity.properties[note.propertyIndex]
            return note.source === object && model.inverse(of: property.relationship!) == nil
        }
    }

    /// Replaces the object's row by the newest one and keeps its unsaved values.
    private func renewRow(of object: ManagedObject) {
        if object.state.life.isNew { return }
        object.contents?.unload()
        if object.state.life.isInsertion { return }
        // The row that a fetch has given the fault may be older.
        if object.isFault { return object.row = nil }
        guard
            let newest = try? askAbove({
                try channel.row(
                    object.reference, object.binding.scope,
                    ReadOptions(staleness: stalenessInterval))
            })
        else { return }
        object.forgetEqualValues()
        let isChanged = object.row?.version != newest.version
        object.row = newest
        if isChanged, object.state.deletion == .propagated { object.state.deletion = .renewed }
        object.awake(fromSnapshotEvents: .refresh)
    }

    // MARK: - Leaving

    /// Takes an object out of the context for good.
    func detach(_ object: ManagedObject) {
        identityMap.remove(object)
        object.turnIntoFault()
        object.state = .detached
    }
}

extension ManagedObject {
    /// Gives up the object's pending changes, also those of its to-many relationships.
    final func forgetPendingChanges() {
        if !state.isDetached { enter(.clean) }
        if state.deletion.isMerged { row = nil }
        state.deletion = .none
        state.flags.remove(.changedInEvent)
        // The row is gone. It may exist again, so the next read looks for it.
        if row == nil { state.flags.insert(.fault) }
        discardChanges()
        contents = nil
    }
}
