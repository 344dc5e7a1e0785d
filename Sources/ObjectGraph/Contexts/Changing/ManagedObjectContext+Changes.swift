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
            if object.binding.hasTransients { tracker.keepTransients(of: object) }
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

    /// Records a change to a pair of a many-to-many relationship; the last change counts.
    func noteJoin(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property,
        isAddition: Bool
    ) {
        func record(_ note: JoinNote) {
            if undoManager != nil { capture(note, isAddition: isAddition) }
            tracker.noteJoin(note, isAddition: isAddition)
        }
        let note = JoinNote(from: source, to: destination, property)
        record(note)
        if let mirrored = note.mirrored(along: property) { record(mirrored) }
    }
}
