// What other contexts have saved.
extension ManagedObjectContext {
    /// Whether saves of the parent context, or of siblings on the coordinator, are merged by themselves (spec §4.3).
    ///
    /// Merging happens on this context's queue after the save. May be set from any thread. False unless set.
    public var automaticallyMergesChangesFromParent: Bool {
        get { mailbox.withLock { $0.mergesAutomatically } }
        set {
            mailbox.withLock { $0.mergesAutomatically = newValue }
            guard parent == nil else { return }
            if newValue {
                coordinator.addMergingContext(self)
            } else {
                coordinator.removeMergingContext(self)
            }
        }
    }

    /// Merges what another context has saved, as its `didSave` notification tells it (spec §4.4).
    ///
    /// Inserted objects are registered as faults; updated ones take the new values unless they have unsaved ones of their
    /// own; deleted ones are deleted here, and leave the relationships of others. Objects that this context does not have
    /// cost nothing. Queue: the context's.
    public func mergeChanges(_ changes: ObjectChanges) {
        checkQueue()
        takeMail()
        var merged = ObjectChanges()
        for id in changes.inserted {
            guard let scope = coordinator.localScope(of: id) else { continue }
            merged.inserted.append(object(id.reference, scope).objectID)
        }
        for id in changes.updated {
            guard let object = registeredObject(for: id), !object.isDeleted else { continue }
            let isRealised = !object.isFault
            refreshSilently(object, mergeChanges: true)
            object.contents?.unload()
            if isRealised { merged.refreshed.append(id) }
        }
        var gone: [ManagedObject] = []
        for id in changes.deleted {
            guard let object = registeredObject(for: id), !object.isDeleted else { continue }
            object.discardChanges()
            object.contents = nil
            tracker.delete(object, appliesRules: false)
            gone.append(object)
            merged.deleted.append(id)
        }
        dropMembers(gone)
        cutReferences(to: gone)
        let count = merged.inserted.count + merged.refreshed.count + merged.deleted.count
        coordinator.graphCounters.merges.add(1, ordering: .relaxed)
        coordinator.graphCounters.mergedObjects.add(Int64(count), ordering: .relaxed)
        if hasObservers {
            if !merged.isEmpty { post(.objectsDidChange(merged)) }
            merged.updated = merged.refreshed
            post(.didMerge(merged))
        }
        sweepIfGrown()
        assertInvariants()
    }

    /// Tells contexts of changes that no context has saved: those of a batch request, or of another coordinator.
    ///
    /// The rows concerned are read anew when next needed. Enters the queue of each context in turn, parents before their
    /// children, and waits for it. May be called from any thread.
    public static func mergeChanges(
        _ changes: ObjectChanges, into contexts: [ManagedObjectContext]
    ) {
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            for id in changes.updated + changes.deleted {
                guard let scope = context.coordinator.localScope(of: id) else { continue }
                context.coordinator.forgetRow(id.reference, scope)
            }
            context.performAndWait { context.mergeChanges(changes) }
        }
    }

    var liveChildren: [ManagedObjectContext] { mailbox.withLock { $0.liveChildren } }

    var mergingChildren: [ManagedObjectContext] {
        liveChildren.filter(\.automaticallyMergesChangesFromParent)
    }

    // MARK: - Mail

    /// Tells child contexts which primary keys their objects have been given (spec §4.2).
    func tellChildren(_ keys: [AssignedKey]) {
        guard !keys.isEmpty, mailbox.withLock({ !$0.children.isEmpty }) else { return }
        deliverToDescendants(keys.map(PermanentKey.init))
    }

    /// Tells all contexts on the same root which primary keys objects have been given that they may know.
    func tellRelatives(_ keys: [AssignedKey]) {
        guard !keys.isEmpty, var root = parent else { return }
        while let parent = root.parent { root = parent }
        let keys = keys.map(PermanentKey.init)
        _ = root.deliver(keys)
    }

    // To all of them at once: a grandchild may be entered before the child that would have told it.
    private func deliverToDescendants(_ keys: [PermanentKey]) {
        for child in liveChildren { _ = child.deliver(keys) }
    }

    /// Returns the contexts below, lest the last reference to one goes within the lock.
    // Once a context can take its mail, all below it have theirs.
    private func deliver(_ keys: [PermanentKey]) -> [ManagedObjectContext] {
        mailbox.withLock { mailbox in
            mailbox.permanentKeys += keys
            let children = mailbox.liveChildren
            return children + children.flatMap { $0.deliver(keys) }
        }
    }

    /// Whether a save further up has given objects keys since the mail was taken.
    var hasMail: Bool { mailbox.withLock { !$0.permanentKeys.isEmpty } }

    /// Gives objects the primary keys that saves further up have given their rows, and lets those of removed stores go.
    func takeMail() {
        // Who uses a main-queue context without `perform` enters its queue with each use.
        if !queue.isEntered { followReset() }
        followStores()
        let keys = mailbox.withLock { mailbox in
            defer { mailbox.permanentKeys = [] }
            return mailbox.permanentKeys
        }
        guard !keys.isEmpty else { return }
        var references = RowReferences()
        for key in keys {
            references.renewed[key.temporary] = key.permanent
            if undoManager != nil {
                undoRecorder.noteRenewal(of: key.temporary, to: key.permanent)
            }
            identityMap.renew(key, in: table(key.scope.entityIndex, key.scope.storeNumber))
        }
        for table in identityMap.tables {
            table.forEach { renewReferences(of: $0, &references) }
        }
    }

    /// Gives an object the permanent references of others in place of temporary ones.
    func renewReferences(of object: ManagedObject, _ references: inout RowReferences) {
        let entity = object.binding.entity
        if let changes = object.changesBesideDraft {
            for index in entity.toOneIndexes where changes.contains(index) {
                guard case .objectID(let id) = changes[index],
                    let key = references.renewed[id.reference]
                else { continue }
                changes[index] = .objectID(ManagedObjectID(scope: id.scope, reference: key))
            }
        }
        guard let row = object.row else { return }
        let refersToTemporary = entity.toOneIndexes.contains { index in
            let slot = entity.properties[index].slot!
            return row.hasValue(slot) && row.integer(slot, in: entity.layout) < 0
        }
        guard row.key < 0 || refersToTemporary else { return }
        // The level above has made a row of its own, and will tell nobody who has this one that it changes.
        if object.isFault { return object.row = nil }
        let isSuperseded = object.isRowSuperseded
        var writer = RowWriter(expectedByteCount: 256)
        object.row = encode(
            object, into: &writer, &references, version: row.version, changes: nil)
        if isSuperseded { object.supersedeRow() }
    }
}

extension PermanentKey {
    fileprivate init(_ key: AssignedKey) {
        self.init(
            scope: key.object.binding.scope, temporary: key.temporary, permanent: key.permanent)
    }
}
