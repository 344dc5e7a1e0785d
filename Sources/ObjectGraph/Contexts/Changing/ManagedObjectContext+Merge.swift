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
        moveToNewestGeneration()
        var merged = ObjectChanges()
        for id in changes.inserted {
            guard let scope = coordinator.localScope(of: id) else { continue }
            let object = object(id.reference, scope)
            if object.isDeleted { mergeRow(ofDeleted: object) }
            merged.inserted.append(object.objectID)
        }
        for id in changes.updated {
            guard let object = registeredObject(for: id) else { continue }
            mergeUpdate(of: object, &merged)
        }
        let named = changes.deleted.compactMap(registeredObject(for:)).filter {
            // The next save inserts the row again, whoever has deleted it.
            !$0.state.life.isInsertion
        }
        for object in named where object.isDeleted { mergeDeletion(ofDeleted: object) }
        let present = named.filter { !$0.isDeleted }
        let back = objectsWithRows(among: present)
        for object in back { mergeUpdate(of: object, &merged) }
        let gone = back.isEmpty ? present : present.filter { !back.contains($0) }
        for object in gone {
            object.discardChanges()
            object.contents = nil
            tracker.delete(object, as: .merged)
            merged.deleted.append(object.objectID)
        }
        merged.refreshed += dropReferences(to: gone).map(\.objectID)
        let count = merged.inserted.count + merged.refreshed.count + merged.deleted.count
        coordinator.graphCounters.merges.add(1, ordering: .relaxed)
        coordinator.graphCounters.mergedObjects.add(Int64(count), ordering: .relaxed)
        if hasObservers {
            postMerge(of: merged, from: changes)
            merged.updated = merged.refreshed
            post(.didMerge(merged))
        }
        sweepIfGrown()
        assertInvariants()
    }

    /// Takes the newest row of an object, which keeps its unsaved values.
    private func mergeUpdate(of object: ManagedObject, _ merged: inout ObjectChanges) {
        if object.isDeleted { return mergeRow(ofDeleted: object) }
        let isRealised = !object.isFault
        refreshSilently(object, mergeChanges: true)
        object.contents?.unload()
        if isRealised { merged.refreshed.append(object.objectID) }
    }

    /// Takes the newest row of an object that counts as deleted. An object that only others have
    /// deleted returns; a deletion made here is of the newest row from now on.
    private func mergeRow(ofDeleted object: ManagedObject) {
        if object.state.deletion.isOfOthers {
            // The row is not back if the deletion is the newer change.
            guard (try? hasRowAbove(object)) == true else { return }
            guard object.state.deletion == .mergedToo else {
                if object.state.life == .updated { tracker.withdrawUpdate(of: object) }
                return expectRow(of: object)
            }
            object.state.deletion = .propagated
        }
        refreshSilently(object, mergeChanges: true)
    }

    /// Notes that others have deleted an object too, after its delete rules.
    private func mergeDeletion(ofDeleted object: ManagedObject) {
        if object.state.deletion == .marked { readingForEngine { propagateDeletions() } }
        switch object.state.deletion {
        case .propagated, .renewed: object.state.deletion = .mergedToo
        case .none, .marked, .foundGone, .merged, .mergedToo: break
        }
    }

    /// The objects whose rows are in the store: the rows are back, and this context has or will get
    /// no other news of it.
    private func objectsWithRows(among objects: [ManagedObject]) -> Set<ManagedObject> {
        // A parent may have rows that are not stored, and be about to delete others.
        guard parent == nil else {
            return Set(objects.filter { (try? hasRowAbove($0)) ?? false })
        }
        // Without a cached row, nothing was read or written since the deletion. The store is asked
        // for the others, since another coordinator may have deleted their rows.
        let doubtful = objects.filter {
            coordinator.mayHaveRow($0.reference, $0.binding.scope)
        }
        guard !doubtful.isEmpty else { return [] }
        var found: Set<ManagedObject> = []
        for (table, objects) in Dictionary(grouping: doubtful, by: TableKey.init) {
            let keys = objects.map(\.reference)
            guard
                let rows = try? coordinator.rows(
                    keys, entity: model.entities[table.rootIndex], storeNumber: table.storeNumber)
            else { continue }
            var present: Set<Int64> = []
            rows.forEachRun { _, places in present.formUnion(places.lazy.map(\.key)) }
            for object in objects {
                if present.contains(object.reference) {
                    found.insert(object)
                } else {
                    coordinator.forgetRow(object.reference, object.binding.scope)
                }
            }
        }
        return found
    }

    /// Posts the objects that a merge has changed. Followers also test those that this context has
    /// not registered.
    private func postMerge(of merged: ObjectChanges, from changes: ObjectChanges) {
        let all = ObjectChanges(
            inserted: merged.inserted, deleted: changes.deleted,
            refreshed: changes.updated + merged.refreshed)
        guard !all.isEmpty else { return }
        post(merged.isEmpty ? nil : .objectsDidChange(merged), followed: .objectsDidChange(all))
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

    /// Adds the new primary keys of objects to the updates of all contexts below (spec §4.2).
    func notifyDescendants(of keys: [AssignedKey]) {
        guard !keys.isEmpty, pendingUpdates.withLock({ !$0.children.isEmpty }) else { return }
        deliverToDescendants(keys.map(PermanentKey.init))
    }

    /// Sends the new primary keys of objects to all contexts on the same root.
    func notifyRelatives(of keys: [AssignedKey]) {
        guard !keys.isEmpty, var root = parent else { return }
        while let parent = root.parent { root = parent }
        let keys = keys.map(PermanentKey.init)
        for context in root.deliver(keys) + [root] { context.enqueueReportOfKeys() }
    }

    // Delivers to all descendants at once: the queue of a grandchild may be entered before its
    // parent's.
    private func deliverToDescendants(_ keys: [PermanentKey]) {
        for child in liveChildren {
            for context in child.deliver(keys) + [child] { context.enqueueReportOfKeys() }
        }
    }

    /// When a context can take its keys, all contexts below it have theirs.
    ///
    /// - Returns: The contexts below, so that none is deallocated while the lock is held.
    private func deliver(_ keys: [PermanentKey]) -> [ManagedObjectContext] {
        pendingUpdates.withLock { pendingUpdates in
            pendingUpdates.permanentKeys += keys
            pendingUpdates.deliveryCount += 1
            let children = pendingUpdates.liveChildren
            return children + children.flatMap { $0.deliver(keys) }
        }
    }

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
            table.forEach { renewReferences(of: $0, &references) }
        }
    }

    /// Replaces an object's temporary references to others by permanent ones.
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
        // The level above has made a row of its own. It does not report changes for the row kept
        // here.
        if object.isFault { return object.row = nil }
        let isSuperseded = object.isRowSuperseded
        var writer = RowWriter(expectedByteCount: 256)
        object.row = object.encode(
            into: &writer, &references, version: row.version, changes: nil)
        if isSuperseded { object.supersedeRow() }
    }
}

extension PermanentKey {
    fileprivate init(_ key: AssignedKey) {
        self.init(
            scope: key.object.binding.scope, temporary: key.temporary, permanent: key.permanent)
    }
}
