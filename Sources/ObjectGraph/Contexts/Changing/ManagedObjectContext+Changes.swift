// The changes since the last save.
extension ManagedObjectContext {
    /// Whether there is anything to save.
    public var hasChanges: Bool {
        checkQueue()
        return tracker.hasChanges
    }

    /// The new objects that the next save writes.
    public var insertedObjects: Set<ManagedObject> {
        checkQueue()
        return Set(tracker.inserted.lazy.filter(\.isToBeInserted))
    }

    /// The objects that were changed and are neither new nor deleted.
    public var updatedObjects: Set<ManagedObject> {
        checkQueue()
        return Set(tracker.updated.lazy.filter(\.isUpdated))
    }

    /// The objects that the next save deletes.
    public var deletedObjects: Set<ManagedObject> {
        checkQueue()
        return Set(tracker.deleted.lazy.filter(\.isToBeDeleted))
    }

    /// Records the first change of an object since the last save or in this event.
    func noteChange(of object: ManagedObject) {
        // A value that awakeFromFetch sets is not a change (spec §2.3).
        if object.state.flags.contains(.awaking) { return }
        if hasChildren.load(ordering: .relaxed) { object.supersedeRow() }
        noteEvent(of: object)
        if !object.state.life.isToBeWritten {
            if object.binding.hasTransients { keepTransients(of: object) }
            tracker.update(object)
        }
    }

    /// Records that an object changes in this event. Must be called before the change.
    func noteEvent(of object: ManagedObject) {
        guard !object.state.flags.contains(.changedInEvent) else { return }
        if undoManager != nil { capture(object) }
        tracker.addToEvent(object)
        object.changes?.beginEvent()
        object.contents?.eventMask = PropertyMask()
        beginEvent()
    }

    /// Keeps transient values for a rollback, since rows do not have them.
    private func keepTransients(of object: ManagedObject) {
        guard let changes = object.changesBesideDraft else { return }
        let indexes = object.binding.entity.transientIndexes.filter(changes.contains)
        guard !indexes.isEmpty else { return }
        tracker.keepTransients(
            Dictionary(uniqueKeysWithValues: indexes.map { ($0, changes[$0]) }), of: object)
    }

    /// Records a change to a pair of a many-to-many relationship; the last change counts.
    func noteJoin(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property,
        isAddition: Bool, isUndoable: Bool
    ) {
        // Both ends may report the pair. It is noted for the end that owns the join table.
        var note = JoinNote(
            source: source, destination: destination, propertyIndex: property.index)
        if model.inverse(of: property.relationship!)?.identifier == property.identifier {
            // Its own inverse: both ends read the same column, so each direction is a pair.
            let mirrored = JoinNote(
                source: destination, destination: source, propertyIndex: property.index)
            record(mirrored, isAddition: isAddition, isUndoable: isUndoable)
        } else if case .joinTable(let end) = property.relationship?.storage, !end.isOwner,
            let inverse = property.relationship?.inverseIndex
        {
            note = JoinNote(source: destination, destination: source, propertyIndex: inverse)
        }
        record(note, isAddition: isAddition, isUndoable: isUndoable)
    }

    private func record(_ note: JoinNote, isAddition: Bool, isUndoable: Bool) {
        if isUndoable { capture(note, isAddition: isAddition) }
        tracker.noteJoin(note, isAddition: isAddition)
    }
}
