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
        notifyDescendants { $0.parentWasReset = true }
        assertInvariants()
    }

    // Notifies all descendants at once: the queue of a grandchild may be entered before its
    // parent's.
    func notifyDescendants(_ note: @Sendable (inout PendingUpdates) -> Void) {
        for child in liveChildren {
            child.pendingUpdates.withLock { note(&$0) }
            child.notifyDescendants(note)
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
        object.refreshSilently(mergeChanges: mergeChanges, in: self)
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
            object.refreshSilently(mergeChanges: true, in: self)
        }
        if hasObservers {
            post(.objectsDidChange(ObjectChanges(refreshed: objects.map(\.objectID))))
        }
        assertInvariants()
    }

    // MARK: - Leaving

    /// Takes an object out of the context for good.
    func detach(_ object: ManagedObject) {
        identityMap.remove(object)
        object.turnIntoFault()
        object.state = .detached
    }
}
