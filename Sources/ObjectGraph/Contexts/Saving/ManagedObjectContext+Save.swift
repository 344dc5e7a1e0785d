extension ManagedObjectContext {
    /// Writes all unsaved changes to the store, or hands them to the parent context; all or none.
    ///
    /// Without changes it runs no statement, and tells observers of a save of nothing. Queue: the context's. Cost: a
    /// transaction with one statement for each row that is new, changed or deleted, and for each pair of a many-to-many
    /// relationship. Source: spec §5.1.
    /// - Throws: `SaveError` for invalid objects and conflicts that the merge policy does not settle; `StoreError` if the
    ///   store fails, also when something is read that the save depends on. The context is then as dirty as before.
    public func save() throws {
        checkQueue()
        defer { assertInvariants() }
        takeMail()
        _ = try requiringReads { processChanges(isSaving: true) }
        guard hasChanges else {
            post(.willSave)
            if parent == nil { try coordinator.saveMetadata() }
            return post(.didSave(ObjectChanges()))
        }
        try failedReads.requireNoneGiven()
        var operation = SaveOperation(of: self)
        try operation.run()
    }

    /// Has the next save throw, or settle by its merge policy, if this object was changed elsewhere since it was read, even
    /// though it is not changed here (spec §5.3). Of no effect below a parent context.
    public func detectConflicts(for object: ManagedObject) {
        if object.isFault { object.fireFault() }
        tracker.check(object)
    }

    // MARK: - Permanent identifiers

    /// Gives new objects their permanent identifiers before they are saved (spec §2.1).
    ///
    /// Reserves primary keys in the store at once, also below parent contexts; the later save keeps them. What has been
    /// saved to a parent context is given its identifier there.
    /// - Throws: `StoreError` if the store cannot reserve them; all identifiers remain as they are then.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        checkQueue()
        defer { assertInvariants() }
        takeMail()
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
        var references = RowReferences()
        for key in keys { references.renewed[key.temporary] = key.permanent }
        for object in tracker.objects { renewReferences(of: object, &references) }
        takeMail()
        tellChildren(keys)
        // What was here before the last save, and has been brought back since, others may know.
        tellRelatives(keys.filter { undoRecorder.mayHaveBeenSaved($0.temporary) })
    }
}
