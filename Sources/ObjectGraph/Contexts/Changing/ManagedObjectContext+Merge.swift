// Merging what other contexts have saved.
extension ManagedObjectContext {
    /// Whether the context merges saves of its parent, or of siblings on the coordinator,
    /// automatically (spec §4.3).
    ///
    /// Merging happens on this context's queue after the save. May be set from any thread. The
    /// default is false.
    public var automaticallyMergesChangesFromParent: Bool {
        get { pendingUpdates.withLock { $0.mergesAutomatically } }
        set {
            pendingUpdates.withLock { $0.mergesAutomatically = newValue }
            guard parent == nil else { return }
            if newValue {
                coordinator.addMergingContext(self)
            } else {
                coordinator.removeMergingContext(self)
            }
        }
    }

    /// Merges what another context has saved, as reported by its `didSave` notification
    /// (spec §4.4).
    ///
    /// Inserted objects are registered as faults. Updated objects take the new values except where
    /// they have unsaved ones. Deleted objects count as deleted until the next save, which writes
    /// nothing for them, and are removed from relationships; an object whose row is back stays, or
    /// returns. Objects that this context has not registered cost nothing, except inserted ones. A
    /// statement for each table is run if the row cache has rows of deleted objects; a context below
    /// a parent asks it for each of them. A pinned context first moves to the newest generation.
    /// Queue: the context's.
    public func mergeChanges(_ changes: ObjectChanges) {
        checkQueue()
        takePendingUpdates()
        beginOperation()
        defer { endOperation() }
        var merge = MergeOperation(of: changes, into: self)
        merge.run()
    }

    /// Merges changes that no context has saved: those of a batch request or of another
    /// coordinator.
    ///
    /// The rows concerned are dropped from the row cache and read again when needed; those of
    /// deleted objects that a context has registered are looked for at once, with a statement for
    /// each table. Enters the queue of each context in turn, parents before their children, and
    /// waits for it. May be called from any thread.
    public static func mergeChanges(
        _ changes: ObjectChanges, into contexts: [ManagedObjectContext]
    ) {
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            context.coordinator.forgetRows(of: changes.updated)
            context.performAndWait { context.mergeChanges(changes) }
            // Not before: a merge looks for the rows that are cached.
            context.coordinator.forgetRows(of: changes.deleted)
        }
    }

    var liveChildren: [ManagedObjectContext] { pendingUpdates.withLock { $0.liveChildren } }

    var mergingChildren: [ManagedObjectContext] {
        liveChildren.filter(\.automaticallyMergesChangesFromParent)
    }

    // MARK: - Updates from other contexts

    /// Whether there are permanent keys to take, which a save further up has assigned.
    var hasPendingKeys: Bool { pendingUpdates.withLock { !$0.permanentKeys.isEmpty } }

    /// How many times a save further up has delivered permanent keys.
    var deliveryCount: Int { pendingUpdates.withLock { $0.deliveryCount } }

    /// Follows resets and removed stores, and takes the permanent keys from the pending updates.
    func takePendingUpdates() {
        // Code that uses a main-queue context without `perform` enters its queue with each use.
        if !queue.isEntered { followReset() }
        followStores()
        takePermanentKeys()
    }

    /// Takes the permanent keys. No object is detached, so that a save or a fetch may go on.
    func takePermanentKeys() {
        let keys = pendingUpdates.withLock { pendingUpdates in
            defer { pendingUpdates.permanentKeys = [] }
            return pendingUpdates.permanentKeys
        }
        guard !keys.isEmpty else { return }
        var references = RowReferences(context: self)
        for key in keys {
            references.renewed[key.temporary] = key.permanent
            if undoManager != nil {
                undoRecorder.noteRenewal(of: key.temporary, to: key.permanent)
            }
            identityMap.renew(key, in: table(key.scope.entityIndex, key.scope.storeNumber))
        }
        for table in identityMap.tables {
            table.forEach { $0.renewReferences(&references) }
        }
    }
}
