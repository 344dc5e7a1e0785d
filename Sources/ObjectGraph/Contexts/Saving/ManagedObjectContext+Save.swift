extension ManagedObjectContext {
    /// Writes all pending changes to the store, or hands them to the parent context; all or none.
    ///
    /// Without changes it writes no rows, and posts `willSave` and an empty `didSave`. A pinned
    /// context then reads the newest generation. Queue: the context's. Cost: a transaction with one
    /// statement for each row that is changed or deleted and for each pair of a many-to-many
    /// relationship, and one for some 64 new rows. Source: spec §5.1.
    /// - Throws: `SaveError` for invalid objects and conflicts that the merge policy does not
    ///   settle; `StoreError` if the store fails, also in a read that the save depends on. The
    ///   pending changes remain then.
    public func save() throws {
        checkQueue()
        // Not an operation: the hooks of a save set values like any program.
        noteObservedValues()
        defer { notifyOfOperation() }
        defer { assertInvariants() }
        takePendingUpdates()
        _ = try requiringReads { processChanges(isSaving: true) }
        guard hasChanges else {
            post(.willSave)
            if parent == nil { try coordinator.saveMetadata() }
            moveToNewestGeneration()
            return post(.didSave(ObjectChanges()))
        }
        try failedReads.requireNoneGiven()
        var operation = SaveOperation(of: self)
        try operation.run()
    }

    /// Makes the next save check that this object was not changed elsewhere since it was read, even
    /// if it is not changed here. The merge policy settles a conflict, or the save throws
    /// (spec §5.3). Ignored below a parent context.
    public func detectConflicts(for object: ManagedObject) {
        if object.isFault { object.fireFault() }
        tracker.check(object)
    }

    // MARK: - Permanent identifiers

    /// Gives new objects their permanent identifiers before they are saved (spec §2.1).
    ///
    /// Reserves primary keys in the store at once, also below parent contexts; a later save keeps
    /// them. Objects that were saved to a parent context get their identifiers there.
    /// - Throws: `StoreError` if the store cannot reserve keys; no identifier is changed then.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        checkQueue()
        defer { assertInvariants() }
        takePendingUpdates()
        let temporary = objects.filter {
            $0.reference < 0 && !$0.isDeleted && $0.managedObjectContext === self
        }
        var assignment = KeyAssignment()
        do {
            try assignment.assign(to: temporary.filter(\.isInserted), from: coordinator)
            let savedAbove = temporary.filter { !$0.isInserted }.map(\.objectID)
            if let parent, !savedAbove.isEmpty {
                try parent.performAndWait {
                    try parent.obtainPermanentIDs(for: savedAbove.map(parent.object(with:)))
                }
            }
        } catch {
            assignment.takeBack()
            throw error
        }
        let keys = assignment.keys
        identityMap.register(keys)
        var references = RowReferences(context: self)
        for key in keys { references.renewed[key.temporary] = key.permanent }
        for object in tracker.objects { object.renewReferences(&references) }
        takePendingUpdates()
        KeyDelivery(keys: keys).reachDescendants(of: self)
        // Other contexts may have objects that were saved from here and brought back since.
        KeyDelivery(keys: keys.filter { undoRecorder.mayHaveBeenSaved($0.temporary) })
            .reachRelatives(of: self)
        // Nothing has changed, but snapshots and differences have the identifiers.
        if !keys.isEmpty { post(nil, followed: .didSave(ObjectChanges())) }
    }
}
