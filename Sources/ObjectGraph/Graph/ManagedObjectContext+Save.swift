extension ManagedObjectContext {
    /// Writes all unsaved changes to the store, or hands them to the parent context; all or none.
    ///
    /// Without changes it runs no statement, and tells observers of a save of nothing. Queue: the context's. Cost: a
    /// transaction with one statement for each row that is new, changed or deleted, and for each pair of a many-to-many
    /// relationship. Source: spec §5.1.
    /// - Throws: `SaveError` for invalid objects and conflicts that the merge policy does not settle; `StoreError` if the
    ///   store fails, also when something is read that the save depends on, or has failed to be read before (see
    ///   `faultHandler`). The context is then as dirty as before.
    public func save() throws {
        checkQueue()
        defer { assertInvariants() }
        takeMail()
        if let error = failedReads.savePreventingError { throw error }
        _ = try requiringReads { processChanges(isSaving: true) }
        guard hasChanges else {
            post(.willSave)
            if parent == nil { try coordinator.saveMetadata() }
            return post(.didSave(ObjectChanges()))
        }
        let written = try readingForItself { try write(prepare()) }
        adopt(written)
        finish(written)
    }

    /// The objects of a save, each in one list.
    struct SaveWork {
        var inserted: [ManagedObject] = []
        var updated: [ManagedObject] = []
        var deleted: [ManagedObject] = []

        /// The objects of the rows of each plan, in the same order; the lists above hold them.
        var plannedObjects: [[Unmanaged<ManagedObject>]] = []

        /// Those of `updated` that have something to be written.
        var changed: [ManagedObject] = []
    }

    /// A save that the level above has accepted.
    private struct WrittenSave {
        let work: SaveWork
        let plans: [StorePlan]
        let keys: [AssignedKey]

        /// What was refused before, whose objects the keys may refer to.
        let attempts: [SaveWork]
    }

    /// A primary key that a save has given an object; with the temporary reference, for a save that fails.
    struct AssignedKey {
        // Unowned, which costs no counting: whoever makes the keys holds the objects in a list for as long.
        unowned(unsafe) let object: ManagedObject
        let temporary: Int64
        let permanent: Int64
    }

    // MARK: - Steps

    /// Posts the notification, calls `willSave` and validates until no object changes any more (steps 3 and 4).
    private func prepare() throws -> SaveWork {
        var changed = try requiringReads {
            post(.willSave)
            callWillSave(on: tracker.inserted, where: \.isInserted)
            callWillSave(on: tracker.updated, where: \.isUpdated)
            callWillSave(on: tracker.deleted, where: \.isDeleted)
            return processChanges(isSaving: true)
        }
        for _ in 0..<1000 {
            if changed.isEmpty {
                let work = try requiringReads { collect() }
                changed = try requiringReads {
                    try validate(work)
                    // A validator may have replaced values.
                    return processChanges(isSaving: true)
                }
                if changed.isEmpty { return work }
            }
            changed = try requiringReads {
                callWillSave(on: changed, where: \.hasChanges)
                return processChanges(isSaving: true)
            }
        }
        throw SaveError.endlessWillSave
    }

    private func callWillSave(
        on objects: [ManagedObject], where isConcerned: (ManagedObject) -> Bool
    ) {
        objects.forEachBorrowed { if isConcerned($0) { $0.willSave() } }
    }

    private func collect() -> SaveWork {
        var work = SaveWork()
        // As a rule all of them are, and the list need not be made again.
        work.inserted = tracker.inserted
        if !work.inserted.allSatisfyBorrowed({ $0.isToBeInserted }) {
            work.inserted.removeAll { !$0.isToBeInserted }
        }
        // A new object that was refreshed begins anew, with its default values.
        work.inserted.forEachBorrowed { if $0.isFault { $0.fireFault() } }
        for object in tracker.updated where object.isUpdated {
            // A fault may have changed by an inverse alone; it is checked and versioned like any other.
            if object.isFault {
                object.fireFault()
                // Its row may turn out to be gone.
                guard object.isUpdated else { continue }
            }
            work.updated.append(object)
        }
        for object in tracker.deleted where object.isDeleted {
            work.deleted.append(object)
        }
        return work
    }

    /// Hands the changes up, asking the merge policy about conflicts and trying again (steps 5 to 8).
    ///
    /// - Throws: what keeps the changes from being written, with the context as before.
    private func write(_ prepared: SaveWork) throws -> WrittenSave {
        var work = prepared
        var before: UnsavedChanges?
        var attempts: [SaveWork] = []
        var keys: [AssignedKey] = []
        defer { withExtendedLifetime(attempts) {} }
        do {
            var conflictCount = 0
            while conflictCount < 10 {
                try assignKeys(to: work.inserted, &keys, from: channel)
                let plans = try requiringReads { try makePlans(&work) }
                do {
                    if !plans.isEmpty {
                        try channel.save(plans, from: self)
                    } else if parent == nil {
                        try coordinator.saveMetadata()
                    }
                    return WrittenSave(
                        work: work, plans: plans, keys: keys, attempts: attempts)
                } catch is RenewedKeys {
                    takeMail()
                } catch let conflict as PlanConflict {
                    conflictCount += 1
                    takeBack(keys)
                    attempts.append(work)
                    before = before ?? UnsavedChanges(of: self)
                    let position = plans.firstIndex { $0.storeNumber == conflict.storeNumber }!
                    let planned = work.plannedObjects[position].map { $0.takeUnretainedValue() }
                    work = try requiringReads {
                        try settle(conflict, among: planned, work)
                        return collect()
                    }
                    if case .uniqueness = conflict.conflict { try validateSettled(work) }
                }
            }
            throw SaveError.unresolvedConflicts
        } catch {
            takeBack(keys)
            before?.restore(in: self)
            throw error
        }
    }

    /// A conflict that was settled by a deletion may leave others without what they must have.
    private func validateSettled(_ work: SaveWork) throws {
        var work = work
        // Duplicates disappear, they are not deleted.
        work.deleted.removeAll(where: \.isInserted)
        try validate(work)
    }

    /// Gives new objects their primary keys (step 6); below a parent context they keep their temporary references.
    private func assignKeys(
        to objects: [ManagedObject], _ keys: inout [AssignedKey], from channel: any ObjectChannel
    ) throws {
        for key in keys { key.object.reference = key.permanent }
        var start = 0
        while start < objects.count {
            // A run of objects of one table takes its keys in one piece.
            let table = TableKey(objects[start])
            var end = start
            var count = 0
            while end < objects.count, TableKey(objects[end]) == table {
                if objects[end].reference < 0 { count += 1 }
                end += 1
            }
            guard
                var key = try channel.reserveKeys(
                    count, root: model.entities[table.rootIndex], storeNumber: table.storeNumber)?
                    .lowerBound
            else { return }
            for object in objects[start..<end] where object.reference < 0 {
                keys.append(
                    AssignedKey(object: object, temporary: object.reference, permanent: key))
                object.reference = key
                key += 1
            }
            start = end
        }
    }

    private func takeBack(_ keys: [AssignedKey]) {
        for key in keys { key.object.reference = key.temporary }
    }

    struct TableKey: Hashable {
        let rootIndex: Int
        let storeNumber: Int

        init(_ object: ManagedObject) {
            rootIndex = object.binding.rootIndex
            storeNumber = object.binding.storeNumber
        }
    }

    /// Works the objects out into rows, in the order: inserted, updated, deleted.
    private func makePlans(_ work: inout SaveWork) throws -> [StorePlan] {
        work.changed = []
        var draft = PlanDraft()
        var writer = RowWriter(
            expectedByteCount: (work.inserted.count / 8 + work.updated.count) * 256)
        var references = RowReferences(open: [])
        work.inserted.forEachBorrowed { object in
            if parent != nil { draft.addTransients(of: object, committed: nil) }
            draft.add(
                RowChange(
                    kind: .insert, entity: object.binding.entity, key: object.reference,
                    row: finishedDraft(of: object, &references)
                        ?? encode(
                            object, into: &writer, &references, version: 1,
                            changes: object.changes),
                    changes: PropertyMask(),
                    previousVersion: 0), object)
        }
        draft.openReferences = references.open ?? []
        references.open = nil
        for object in work.updated {
            if object.isFault { object.fireFault() }
            if parent != nil {
                draft.addTransients(of: object, committed: tracker.committedTransients[object])
            }
            let changed = object.changedProperties
            guard !changed.isEmpty || object.state.contains(.relationshipChanged) else { continue }
            // None where the row is gone, which is a conflict (spec §5.3).
            let version = object.row?.version ?? 0
            work.changed.append(object)
            noteReferences(of: object, changed, in: &draft)
            draft.add(
                RowChange(
                    kind: .update, entity: object.binding.entity, key: object.reference,
                    row: encode(
                        object, into: &writer, &references, version: version &+ 1,
                        changes: object.changes),
                    changes: changed, previousVersion: version), object)
        }
        for object in work.deleted where !object.isInserted {
            if object.isFault { object.fireFault() }
            // Nothing is left to delete where no row was found.
            guard let row = object.row else { continue }
            draft.add(
                RowChange(
                    kind: .delete, entity: object.binding.entity, key: object.reference, row: nil,
                    changes: PropertyMask(), previousVersion: row.version), object)
        }
        if parent == nil {
            for object in tracker.checked where !object.hasChanges {
                if object.isFault { object.fireFault() }
                guard let row = object.row else { continue }
                draft.add(
                    RowChange(
                        kind: .check, entity: object.binding.entity, key: object.reference,
                        row: nil, changes: PropertyMask(), previousVersion: row.version), object)
            }
        }
        for (note, isInsertion) in tracker.joins {
            guard
                isInsertion
                    ? !note.source.isDeleted && !note.destination.isDeleted
                    : !note.source.isInserted && !note.destination.isInserted
            else { continue }
            if isInsertion {
                draft.noteReference(to: note.source)
                draft.noteReference(to: note.destination)
            }
            draft.add(
                JoinChange(
                    property: note.source.binding.entity.properties[note.propertyIndex],
                    entity: note.source.binding.entity, sourceKey: note.source.reference,
                    destinationEntity: note.destination.binding.entity,
                    destinationKey: note.destination.reference, isInsertion: isInsertion),
                storeNumber: note.source.binding.scope.storeNumber)
        }
        if model.hasOrderedRelationships {
            for object in work.inserted + work.updated {
                for change in placedJoins(of: object) {
                    draft.add(change, storeNumber: object.binding.storeNumber)
                }
            }
        }
        if !draft.openReferences.isEmpty {
            guard parent != nil else { throw SaveError.unknownObjects(draft.openReferences) }
            draft.plans[0].openReferences = draft.openReferences
        }
        work.plannedObjects = draft.objects
        return draft.plans
    }

    /// Takes note of a changed object and of its new destinations: what it names besides, it may have from long ago.
    private func noteReferences(
        of object: ManagedObject, _ changed: PropertyMask, in draft: inout PlanDraft
    ) {
        draft.noteReference(to: object)
        changed.forEach { index in
            guard object.binding.accessors[index].isToOne,
                case .objectID(let id)? = object.changes?[index], id.reference < 0
            else { return }
            draft.noteReference(to: self.object(id.reference, id.scope))
        }
    }

    /// Plans by store, and the objects of their rows in the same order.
    private struct PlanDraft {
        var plans: [StorePlan] = []
        var objects: [[Unmanaged<ManagedObject>]] = []
        var openReferences: [ManagedObjectID] = []
        private var current = 0

        mutating func add(_ change: consuming RowChange, _ object: ManagedObject) {
            select(object.binding.storeNumber)
            plans[current].plan.rows.append(change)
            objects[current].append(.passUnretained(object))
        }

        /// Takes note of an object that is named here, if it has no permanent identifier and is not inserted here.
        mutating func noteReference(to object: ManagedObject) {
            guard object.reference < 0, !object.isInserted || object.isDeleted else { return }
            openReferences.append(object.objectID)
        }

        /// - Parameter committed: The transient values that the level above has already.
        mutating func addTransients(
            of object: ManagedObject, committed: [Int: AttributeValue]?
        ) {
            guard object.binding.hasTransients, let changes = object.changesBesideDraft else {
                return
            }
            var values: [Int: AttributeValue] = [:]
            for index in object.binding.entity.transientIndexes
            where changes.contains(index) && committed?[index] != changes[index] {
                values[index] = changes[index]
            }
            guard !values.isEmpty else { return }
            select(object.binding.storeNumber)
            plans[current].transients.append(
                TransientChange(
                    entity: object.binding.entity, key: object.reference, values: values))
        }

        mutating func add(_ change: JoinChange, storeNumber: Int) {
            select(storeNumber)
            plans[current].plan.joins.append(change)
        }

        private mutating func select(_ storeNumber: Int) {
            if current < plans.count, plans[current].storeNumber == storeNumber { return }
            if let found = plans.firstIndex(where: { $0.storeNumber == storeNumber }) {
                current = found
            } else {
                current = plans.count
                plans.append(StorePlan(storeNumber: storeNumber))
                objects.append([])
            }
        }
    }

    /// What was planned is now the state of the level above: takes it over (step 9).
    private func adopt(_ written: WrittenSave) {
        let hasChildren = hasChildren.load(ordering: .relaxed)
        for (plan, objects) in zip(written.plans, written.work.plannedObjects) {
            for position in plan.plan.rows.indices {
                guard let row = plan.plan.rows[position].row else { continue }
                objects[position]._withUnsafeGuaranteedRef {
                    // A child that has the row of before would not hear of what changes after it.
                    if hasChildren { $0.supersedeRow() }
                    $0.take(accepted: row)
                    // Nor of what changes in a parent, which has taken the values and not this row.
                    if parent != nil, !$0.state.isNew { $0.supersedeRow() }
                }
            }
        }
        identityMap.register(written.keys)
        written.work.inserted.forEachBorrowed { clearChanges(of: $0) }
        written.work.updated.forEachBorrowed { clearChanges(of: $0) }
        // The merge policy may have taken deletions back, whose objects are in no list then.
        for object in written.attempts.flatMap(\.deleted) where !object.isDeleted {
            object.contents?.forgetNotes()
        }
        tracker.forgetSaved()
        saveCount += 1
        lastSavedReference = ObjectIDScope.lastTemporaryReference
    }

    private func clearChanges(of object: ManagedObject) {
        object.discardSavedChanges()
        object.contents?.forgetNotes()
        // Its row is back, and with it the pairs that name it.
        if object.state.contains(.broughtBack) { object.contents?.unload() }
        object.state.subtract([
            .inserted, .announced, .broughtBack, .updated, .relationshipChanged,
        ])
    }

    /// Calls `didSave`, tells everybody, lets deleted objects go (step 10).
    private func finish(_ written: WrittenSave) {
        let work = written.work
        // What was only found gone, nobody has deleted: others may have it.
        let deleted = work.deleted.filter {
            $0.state.isDisjoint(with: [.inserted, .inaccessible])
        }
        let deletedIDs = deleted.map(\.objectID)
        work.inserted.forEachBorrowed { $0.didSave() }
        work.updated.forEachBorrowed { $0.didSave() }
        for object in deleted { object.didSave() }
        dropUncut(work.deleted)
        tellChildren(written.keys)
        let siblings = parent == nil ? coordinator.mergingContexts(besides: self) : []
        let children = mergingChildren
        if hasObservers || !siblings.isEmpty || !children.isEmpty {
            let changes = ObjectChanges(
                inserted: work.inserted.map(\.objectID), updated: work.changed.map(\.objectID),
                deleted: deletedIDs)
            post(.didSave(changes))
            for context in siblings + children {
                context.perform { context.mergeChanges(changes) }
            }
        }
        letGo(work.deleted)
        sweepIfGrown()
    }

    /// Lets objects go whose deletion is saved and told: until then observers could read their last values.
    private func letGo(_ deleted: [ManagedObject]) {
        guard !deleted.isEmpty else { return }
        for object in deleted { detach(object) }
        tracker.forgetDetached()
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
        var keys: [AssignedKey] = []
        do {
            try assignKeys(to: temporary.filter(\.isInserted), &keys, from: coordinator)
            let savedAbove = temporary.filter { !$0.isInserted }.map(\.objectID)
            if let parent, !savedAbove.isEmpty {
                try parent.performAndWait {
                    try parent.obtainPermanentIDs(for: savedAbove.map(parent.object(with:)))
                }
            }
        } catch {
            takeBack(keys)
            throw error
        }
        identityMap.register(keys)
        var references = RowReferences()
        for key in keys { references.renewed[key.temporary] = key.permanent }
        for object in tracker.objects { renewReferences(of: object, &references) }
        takeMail()
        tellChildren(keys)
        // What was here before the last save, and has been brought back since, others may know.
        tellRelatives(keys.filter { $0.temporary >= lastSavedReference })
    }
}
