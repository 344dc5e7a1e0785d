// What has changed since the last save.
extension ManagedObjectContext {
    /// Whether there is anything to save.
    public var hasChanges: Bool {
        !joinNotes.isEmpty || insertedList.contains { $0.isInserted && !$0.isDeleted }
            || updatedList.contains(where: \.isUpdated)
            || deletedList.contains { $0.isDeleted && !$0.isInserted }
    }

    /// The new objects that the next save writes.
    public var insertedObjects: Set<ManagedObject> {
        Set(insertedList.lazy.filter { $0.isInserted && !$0.isDeleted })
    }

    /// The objects that were changed and are neither new nor deleted.
    public var updatedObjects: Set<ManagedObject> { Set(updatedList.lazy.filter(\.isUpdated)) }

    /// The objects that the next save deletes.
    public var deletedObjects: Set<ManagedObject> {
        Set(deletedList.lazy.filter { $0.isDeleted && !$0.isInserted })
    }

    /// Takes note that an object changes for the first time since the last save, or in this event.
    func noteChange(of object: ManagedObject) {
        if hasChildren.load(ordering: .relaxed) { object.supersedeRow() }
        if object.state.isDisjoint(with: [.inserted, .updated]) {
            object.state.insert(.updated)
            updatedList.append(object)
        }
        if !object.state.contains(.changedInEvent) {
            object.state.insert(.changedInEvent)
            eventList.append(object)
        }
    }

    /// Takes note of a pair of a many-to-many relationship; the last word counts.
    func noteJoin(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property,
        isAddition: Bool
    ) {
        // Either end may be asked; the end that names the join table stands for both.
        var note = JoinNote(
            source: source, destination: destination, propertyIndex: property.index)
        if model.inverse(of: property.relationship!)?.identifier == property.identifier {
            // Its own inverse: both ends read the same column, so each direction is a pair.
            let mirrored = JoinNote(
                source: destination, destination: source, propertyIndex: property.index)
            joinNotes[mirrored] = isAddition
        } else if case .joinTable(let join) = property.relationship?.storage, !join.isOwner,
            let inverse = property.relationship?.inverseIndex
        {
            note = JoinNote(source: destination, destination: source, propertyIndex: inverse)
        }
        joinNotes[note] = isAddition
    }

    // MARK: - Deleting

    /// Marks an object so that the next save deletes it; delete rules are applied when pending changes are processed.
    ///
    /// A new object simply disappears. Deleting twice does nothing. Source: spec §2.6.
    public func delete(_ object: ManagedObject) {
        precondition(
            object.managedObjectContext === self,
            "\(object) is of another context and cannot be deleted here; look it up by its objectID."
        )
        guard !object.state.contains(.deleted) else { return }
        object.state.insert(.deleted)
        deletedList.append(object)
        if hasChildren.load(ordering: .relaxed) { object.supersedeRow() }
        if !object.state.contains(.changedInEvent) {
            object.state.insert(.changedInEvent)
            eventList.append(object)
        }
    }

    /// Applies the delete rules of what was deleted and posts what has changed (spec §2.10).
    ///
    /// Happens by itself at the end of `perform` and at the start of `save`.
    public func processPendingChanges() {
        propagateDeletions()
        guard !eventList.isEmpty else { return }
        let changed = eventList
        eventList.removeAll(keepingCapacity: eventList.count < 4096)
        for object in changed { object.state.remove(.changedInEvent) }
        guard hasObservers else { return }
        var changes = ObjectChanges()
        for object in changed where !object.state.contains(.detached) {
            let id = object.objectID
            if object.state.contains(.deleted) {
                if !object.state.contains(.inserted) { changes.deleted.append(id) }
            } else if object.state.contains(.inserted) {
                changes.inserted.append(id)
            } else {
                changes.updated.append(id)
            }
        }
        post(.objectsDidChange(changes))
    }

    // The list grows while it is worked through: cascades append to it.
    private func propagateDeletions() {
        var position = 0
        while position < deletedList.count {
            let object = deletedList[position]
            position += 1
            guard object.state.contains(.deleted), !object.state.contains(.deletionPropagated)
            else { continue }
            object.state.insert(.deletionPropagated)
            object.prepareForDeletion()
            for property in object.binding.entity.properties where property.relationship != nil {
                propagateDeletion(of: object, along: property)
            }
        }
    }

    private func propagateDeletion(of object: ManagedObject, along property: Property) {
        let relationship = property.relationship!
        switch (property.kind, relationship.deleteRule) {
        case (_, .noAction), (_, .deny), (.attribute, _):
            break
        case (.toOne, let rule):
            guard let destination = object.destination(of: property) else { return }
            if rule == .cascade { delete(destination) }
            if !destination.isDeleted || relationship.inverseIndex != nil {
                object.setDestination(nil, of: property)
            }
        case (.toMany, let rule):
            for destination in object.destinations(of: property) {
                if rule == .cascade { delete(destination) }
                object.change(destination, in: property, isAddition: false)
            }
        }
    }

    // MARK: - Discarding

    /// Discards all unsaved changes: new objects leave the context, changed and deleted ones get their values back.
    ///
    /// No statement is run. Source: spec §2.8.
    public func rollback() {
        let inserted = insertedList
        let touched = updatedList + deletedList
        forgetChanges()
        for object in inserted { detach(object) }
        var changes = ObjectChanges()
        for object in touched where !object.state.contains(.detached) {
            if object.hasChanges || object.changes != nil {
                changes.refreshed.append(object.objectID)
            }
            object.state.subtract([
                .updated, .deleted, .deletionPropagated, .changedInEvent, .relationshipChanged,
            ])
            object.discardChanges()
            object.contents = nil
        }
        if hasObservers { post(.objectsDidChange(changes)) }
    }

    /// Returns the context to its first state: every object is detached, all unsaved changes are lost.
    ///
    /// No statement is run. Source: spec §2.8.
    public func reset() {
        forgetChanges()
        var invalidated: [ManagedObjectID] = []
        let isObserved = hasObservers
        for table in registry.allTables {
            var keys: [Int64] = []
            table.permanent.forEach { key, slot in if slot.pointee != nil { keys.append(key) } }
            table.forEach { object in
                if isObserved { invalidated.append(object.objectID) }
                object.turnIntoFault()
                object.state = [.fault, .detached]
            }
            channel.unregister(keys, root: table.rootIndex, storeNumber: table.storeNumber)
        }
        registry.removeAll()
        registeredCount = 0
        sweepLimit = 1024
        guard isObserved else { return }
        post(
            .objectsDidChange(ObjectChanges(invalidated: invalidated, invalidatesAll: true)))
    }

    /// Makes an object take the newest values.
    ///
    /// - Parameter mergeChanges: true keeps the unsaved values of a changed object and renews the others; false discards
    ///   them. A clean object becomes a fault either way (spec §2.8).
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.managedObjectContext === self else { return }
        if object.state.contains(.inserted) {
            guard !mergeChanges else { return }
            object.discardChanges()
            for (index, value) in object.binding.entity.defaultValues {
                object.changedValues[index] = value
            }
            return
        }
        if mergeChanges, object.hasChanges {
            guard !object.isFault,
                let newest = try? channel.row(
                    object.reference, object.binding.scope, staleness: stalenessInterval)
            else { return }
            object.forgetEqualValues()
            object.row = newest
            object.contents?.unload()
            return
        }
        object.turnIntoFault()
        object.state.subtract([.updated, .relationshipChanged])
    }

    /// Refreshes every object, keeping unsaved changes; clean objects become faults.
    public func refreshAllObjects() {
        for table in registry.allTables {
            table.forEach { refresh($0, mergeChanges: true) }
        }
    }

    private func forgetChanges() {
        insertedList = []
        updatedList = []
        deletedList = []
        eventList = []
        joinNotes = [:]
        checkedObjects = []
    }

    /// Takes an object out of the context for good.
    func detach(_ object: ManagedObject) {
        let table = table(object.binding.entity.index, object.binding.scope.storeNumber)
        if object.reference >= 0, table[object.reference] != nil {
            channel.unregister(
                [object.reference], root: table.rootIndex, storeNumber: table.storeNumber)
        }
        table[object.reference] = nil
        object.turnIntoFault()
        object.state = [.fault, .detached]
    }
}
