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
        isAddition: Bool
    ) {
        record(joinNote(from: source, to: destination, property), isAddition: isAddition)
        if let mirrored = mirroredNote(from: source, to: destination, property) {
            record(mirrored, isAddition: isAddition)
        }
    }

    private func record(_ note: JoinNote, isAddition: Bool) {
        if undoManager != nil { capture(note, isAddition: isAddition) }
        tracker.noteJoin(note, isAddition: isAddition)
    }

    /// Whether a pair was added or removed since the last save.
    func hasUnsavedPair(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property
    ) -> Bool {
        guard !tracker.joins.isEmpty else { return false }
        return tracker.joins[joinNote(from: source, to: destination, property)] != nil
    }

    /// Takes back a change to a pair.
    func withdrawJoin(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property
    ) {
        tracker.withdrawJoin(joinNote(from: source, to: destination, property))
        if let mirrored = mirroredNote(from: source, to: destination, property) {
            tracker.withdrawJoin(mirrored)
        }
    }

    /// The note about a pair. Both ends may report it; it is noted for the one that owns the join
    /// table.
    private func joinNote(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property
    ) -> JoinNote {
        if case .joinTable(let end) = property.relationship?.storage, !end.isOwner,
            let inverse = property.relationship?.inverseIndex, !isItsOwnInverse(property)
        {
            return JoinNote(source: destination, destination: source, propertyIndex: inverse)
        }
        return JoinNote(source: source, destination: destination, propertyIndex: property.index)
    }

    /// The pair in the other direction, if the relationship is its own inverse: both ends read the
    /// same column.
    private func mirroredNote(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property
    ) -> JoinNote? {
        guard isItsOwnInverse(property) else { return nil }
        return JoinNote(source: destination, destination: source, propertyIndex: property.index)
    }

    private func isItsOwnInverse(_ property: Property) -> Bool {
        model.inverse(of: property.relationship!)?.identifier == property.identifier
    }
}
