extension ManagedObjectContext {
    /// Writes all unsaved changes to the store, or hands them to the parent context; all or none.
    ///
    /// Does nothing without changes. Queue: the context's. Cost: a transaction with one statement for each row that is
    /// new, changed or deleted, and for each pair of a many-to-many relationship. Source: spec §5.1.
    /// - Throws: `SaveError` for invalid objects and conflicts that the merge policy does not settle; `StoreError` if the
    ///   store fails. The context is then as dirty as before.
    public func save() throws {
        takeMail()
        guard hasUnsavedWork else { return }
        processChanges(isSaving: true)
        var work = try prepare()
        let temporary = try assignPermanentReferences(work)
        do {
            let plans = try writeSettlingConflicts(&work)
            adopt(plans, work, temporary)
        } catch {
            for (object, reference) in temporary { object.reference = reference }
            throw error
        }
        finish(work, temporary)
    }

    /// The objects of a save, each in one list.
    struct SaveWork {
        var inserted: [ManagedObject] = []
        var updated: [ManagedObject] = []
        var deleted: [ManagedObject] = []

        /// The objects of the rows of each plan, in the same order.
        var plannedObjects: [[ManagedObject]] = []
    }

    private var hasUnsavedWork: Bool {
        !insertedList.isEmpty || !updatedList.isEmpty || !deletedList.isEmpty || !joinNotes.isEmpty
    }

    // MARK: - Steps

    /// Posts the notification, calls `willSave` and validates until no object changes any more (steps 3 and 4).
    private func prepare() throws -> SaveWork {
        post(.willSave)
        callWillSave(on: insertedList, where: \.isInserted)
        callWillSave(on: updatedList, where: \.isUpdated)
        callWillSave(on: deletedList, where: \.isDeleted)
        for _ in 0..<1000 {
            var changed = processChanges(isSaving: true)
            if changed.isEmpty {
                let work = collect()
                try validate(work)
                // A validator may have replaced values.
                changed = processChanges(isSaving: true)
                if changed.isEmpty { return work }
            }
            callWillSave(on: changed, where: \.hasChanges)
        }
        throw SaveError.endlessWillSave
    }

    private func callWillSave(
        on objects: [ManagedObject], where isConcerned: (ManagedObject) -> Bool
    ) {
        for object in objects where isConcerned(object) { object.willSave() }
    }

    private func collect() -> SaveWork {
        var work = SaveWork()
        for object in insertedList
        where object.state.contains(.inserted) && !object.state.contains(.deleted) {
            work.inserted.append(object)
        }
        for object in updatedList where object.isUpdated {
            // A fault may have changed by an inverse alone; it is checked and versioned like any other.
            if object.isFault { object.fireFault() }
            work.updated.append(object)
        }
        for object in deletedList where object.state.contains(.deleted) {
            work.deleted.append(object)
        }
        return work
    }

    /// Gives new objects their primary keys (step 6).
    ///
    /// - Returns: The objects with their temporary references, for a save that fails; empty below a parent context.
    private func assignPermanentReferences(
        _ work: SaveWork
    ) throws -> [(object: ManagedObject, reference: Int64)] {
        try assignPermanentReferences(to: work.inserted)
    }

    private func assignPermanentReferences(
        to objects: [ManagedObject]
    ) throws -> [(object: ManagedObject, reference: Int64)] {
        var assigned: [(object: ManagedObject, reference: Int64)] = []
        assigned.reserveCapacity(objects.count)
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
            else { return [] }
            for object in objects[start..<end] where object.reference < 0 {
                assigned.append((object, object.reference))
                object.reference = key
                key += 1
            }
            start = end
        }
        return assigned
    }

    private struct TableKey: Hashable {
        let rootIndex: Int
        let storeNumber: Int

        init(_ object: ManagedObject) {
            rootIndex = object.binding.rootIndex
            storeNumber = object.binding.storeNumber
        }
    }

    /// Hands the plans up, asking the merge policy about conflicts and trying again (steps 5 to 8).
    private func writeSettlingConflicts(_ work: inout SaveWork) throws -> [StorePlan] {
        for _ in 0..<10 {
            let plans = try makePlans(&work)
            do {
                if !plans.isEmpty { try channel.save(plans, from: self) }
                return plans
            } catch let conflict as PlanConflict {
                let position = plans.firstIndex { $0.storeNumber == conflict.storeNumber }!
                try settle(conflict, among: work.plannedObjects[position], &work)
            }
        }
        throw SaveError.unresolvedConflicts
    }

    /// Works the objects out into rows, in the order: inserted, updated, deleted.
    private func makePlans(_ work: inout SaveWork) throws -> [StorePlan] {
        var draft = PlanDraft()
        var writer = RowWriter(
            expectedByteCount: (work.inserted.count + work.updated.count) * 256)
        for object in work.inserted {
            if parent != nil { draft.addTransients(of: object, committed: nil) }
            draft.add(
                RowChange(
                    kind: .insert, entity: object.binding.entity, key: object.reference,
                    row: encode(object, into: &writer, version: 1), changes: PropertyMask(),
                    previousVersion: 0), object)
        }
        for object in work.updated {
            if object.isFault { object.fireFault() }
            if parent != nil {
                draft.addTransients(of: object, committed: committedTransients[object])
            }
            let changed = object.changedProperties
            guard let base = object.row,
                !changed.isEmpty || object.state.contains(.relationshipChanged)
            else { continue }
            draft.add(
                RowChange(
                    kind: .update, entity: object.binding.entity, key: object.reference,
                    row: encode(object, into: &writer, version: base.version &+ 1),
                    changes: changed, previousVersion: base.version), object)
        }
        for object in work.deleted where !object.isInserted {
            if object.isFault { object.fireFault() }
            draft.add(
                RowChange(
                    kind: .delete, entity: object.binding.entity, key: object.reference, row: nil,
                    changes: PropertyMask(), previousVersion: object.row?.version ?? 0), object)
        }
        for (note, isInsertion) in joinNotes {
            guard
                isInsertion
                    ? !note.source.isDeleted && !note.destination.isDeleted
                    : !note.source.isInserted && !note.destination.isInserted
            else { continue }
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
        work.plannedObjects = draft.objects
        return draft.plans
    }

    /// Plans by store, and the objects of their rows in the same order.
    private struct PlanDraft {
        var plans: [StorePlan] = []
        var objects: [[ManagedObject]] = []
        private var current = 0

        mutating func add(_ change: RowChange, _ object: ManagedObject) {
            select(object.binding.storeNumber)
            plans[current].plan.rows.append(change)
            objects[current].append(object)
        }

        /// - Parameter committed: The transient values that the level above has already.
        mutating func addTransients(
            of object: ManagedObject, committed: [Int: AttributeValue]?
        ) {
            guard object.binding.hasTransients, let changes = object.changes else { return }
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
    private func adopt(
        _ plans: [StorePlan], _ work: SaveWork,
        _ temporary: [(object: ManagedObject, reference: Int64)]
    ) {
        for (plan, objects) in zip(plans, work.plannedObjects) {
            for position in plan.plan.rows.indices where plan.plan.rows[position].kind != .delete {
                objects[position].row = plan.plan.rows[position].row
            }
        }
        moveToPermanentReferences(temporary)
        for object in work.inserted { clearChanges(of: object) }
        for object in work.updated { clearChanges(of: object) }
        insertedList = []
        updatedList = []
        deletedList = []
        joinNotes = [:]
        committedTransients = [:]
        saveCount += 1
    }

    private func moveToPermanentReferences(
        _ temporary: [(object: ManagedObject, reference: Int64)]
    ) {
        var start = 0
        while start < temporary.count {
            let key = TableKey(temporary[start].object)
            let table = registry.table(rootIndex: key.rootIndex, storeNumber: key.storeNumber)
            var keys: [Int64] = []
            while start < temporary.count, TableKey(temporary[start].object) == key {
                let (object, reference) = temporary[start]
                table[reference] = nil
                table[object.reference] = object
                keys.append(object.reference)
                start += 1
            }
            channel.register(keys, root: key.rootIndex, storeNumber: key.storeNumber)
        }
    }

    private func clearChanges(of object: ManagedObject) {
        object.state.subtract([.inserted, .updated, .relationshipChanged])
        object.discardSavedChanges()
        if let contents = object.contents {
            for index in contents.relationships.keys {
                contents.relationships[index]!.forgetNotes()
            }
        }
    }

    /// Calls `didSave`, tells everybody, lets deleted objects go (step 10).
    private func finish(
        _ work: SaveWork, _ temporary: [(object: ManagedObject, reference: Int64)]
    ) {
        let deleted = work.deleted.filter { !$0.isInserted }
        let deletedIDs = deleted.map(\.objectID)
        for object in work.inserted { object.didSave() }
        for object in work.updated { object.didSave() }
        for object in deleted { object.didSave() }
        for object in work.deleted { detach(object) }
        tellChildren(temporary)
        let siblings = parent == nil ? coordinator.mergingContexts(besides: self) : []
        let children = mergingChildren
        if hasObservers || !siblings.isEmpty || !children.isEmpty {
            let changes = ObjectChanges(
                inserted: work.inserted.map(\.objectID),
                updated: work.updated.map(\.objectID), deleted: deletedIDs)
            post(.didSave(changes))
            for context in siblings + children {
                context.perform { context.mergeChanges(changes) }
            }
        }
        sweepIfGrown()
    }

    // MARK: - Permanent identifiers

    /// Gives new objects their permanent identifiers before they are saved (spec §2.1).
    ///
    /// Reserves primary keys in the store at once, also below parent contexts; the later save keeps them.
    /// - Throws: `StoreError` if the store cannot reserve them.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        for object in objects where object.reference < 0 && object.isInserted {
            let entity = object.binding.entity
            let number = object.binding.scope.storeNumber
            guard
                let key = try coordinator.reserveKeys(
                    1, root: model.entities[entity.rootIndex], storeNumber: number)?.first
            else { continue }
            let table = table(entity.index, number)
            table[object.reference] = nil
            object.reference = key
            table[key] = object
            channel.register([key], root: table.rootIndex, storeNumber: number)
        }
    }
}
