/// The pending changes of a context, and the objects of the event under way.
///
/// Each list is in the order of the changes. An object whose state has moved on stays listed until
/// the list is renewed, so readers of a list check the state of each object.
struct ChangeTracker {
    // No method calls a hook, an observer or the context, so access to the context's `tracker` is
    // exclusive without a check.

    private(set) var inserted: [ManagedObject] = []
    private(set) var updated: [ManagedObject] = []
    private(set) var deleted: [ManagedObject] = []

    /// Whether a deleted object may wait for its delete rules. A view that merges the deletions of
    /// others lists many that do not.
    private(set) var mayHaveMarked = false

    /// The objects that changed since pending changes were last processed.
    private(set) var event: [ManagedObject] = []

    /// Pairs of relationships that are kept in join tables: true if added, false if removed.
    private(set) var joins: [JoinNote: Bool] = [:]

    /// The transient values that changed objects had at the last save.
    private(set) var committedTransients: [ManagedObject: [Int: AttributeValue]] = [:]

    /// Unchanged objects that the next save checks for conflicts.
    private(set) var checked: Set<ManagedObject> = []

    /// Whether there is anything to save.
    var hasChanges: Bool {
        inserted.contains(where: \.isToBeInserted) || updated.contains(where: \.isUpdated)
            || deleted.contains(where: \.isToBeDeleted) || !joins.isEmpty
    }

    /// Whether no object is listed as inserted, updated or deleted.
    var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

    /// The objects listed as inserted, updated and deleted, in this order.
    var objects: [ManagedObject] {
        // Often all of them are new, and the list need not be copied.
        updated.isEmpty && deleted.isEmpty ? inserted : inserted + updated + deleted
    }

    // MARK: - Inserted, updated, deleted

    /// Lists a new object, which is part of the event.
    @inline(__always)
    mutating func insert(_ object: ManagedObject) {
        object.state.flags.insert(.changedInEvent)
        inserted.append(object)
        event.append(object)
    }

    /// Makes the next save insert an object again, because its row is gone.
    mutating func insertAgain(_ object: ManagedObject) {
        object.enter(.broughtBack)
        inserted.append(object)
    }

    /// Removes an object from the inserted ones, because another context has inserted its row.
    mutating func withdrawInsertion(of object: ManagedObject) {
        object.enter(.clean)
        inserted.removeAll { $0 === object }
    }

    @inline(__always)
    mutating func update(_ object: ManagedObject) {
        object.enter(.updated)
        updated.append(object)
    }

    /// Removes an object from the updated ones, because it gets its saved values back.
    mutating func withdrawUpdate(of object: ManagedObject) {
        object.forgetUpdate()
        updated.removeAll { $0 === object }
        committedTransients[object] = nil
    }

    /// Removes objects that undo has made clean from the updated ones.
    ///
    /// Undo starts with the last change, so the objects are near the end of the list. The search
    /// starts there and stops when it has found all of them.
    mutating func withdrawUpdates(of cleaned: Set<ManagedObject>) {
        for object in cleaned { object.forgetUpdate() }
        var start = updated.endIndex
        var remainingCount = cleaned.count
        while remainingCount > 0, start > 0 {
            start -= 1
            if cleaned.contains(updated[start]) { remainingCount -= 1 }
        }
        let others = updated[start...].filter { !cleaned.contains($0) }
        updated.replaceSubrange(start..., with: others)
    }

    mutating func delete(_ object: ManagedObject, as deletion: UnsavedDeletion) {
        object.state.deletion = deletion
        deleted.append(object)
        if deletion == .marked { mayHaveMarked = true }
    }

    /// Has the delete rules of a deleted object applied, for the first time or again.
    mutating func mark(_ object: ManagedObject) {
        object.state.deletion = .marked
        mayHaveMarked = true
    }

    /// Notes that delete rules were applied. Some objects are still marked if a read failed.
    mutating func noteAppliedRules() {
        mayHaveMarked = deleted.contains { $0.state.deletion == .marked }
    }

    mutating func withdrawDeletion(of object: ManagedObject) {
        object.state.deletion = .none
        deleted.removeAll { $0 === object }
    }

    /// Removes the objects whose deletion was taken back from the deleted ones.
    mutating func dropWithdrawnDeletions() {
        deleted.removeAll { !$0.isDeleted }
    }

    // MARK: - Events

    /// Adds an object to the event. It must not be part of it yet.
    @inline(__always)
    mutating func addToEvent(_ object: ManagedObject) {
        object.state.flags.insert(.changedInEvent)
        event.append(object)
    }

    /// Ends the event.
    ///
    /// - Returns: The objects that changed in it.
    mutating func endEvent() -> [ManagedObject] {
        let changed = event
        event.removeAll(keepingCapacity: event.count < 4096)
        changed.forEachBorrowed { $0.state.flags.remove(.changedInEvent) }
        return changed
    }

    // MARK: - Pairs, transient values, checks

    /// Notes that a pair is added or removed; the last note about a pair counts.
    mutating func noteJoin(_ note: JoinNote, isAddition: Bool) { joins[note] = isAddition }

    /// Whether a pair was added or removed since the last save.
    func hasJoin(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property
    ) -> Bool {
        guard !joins.isEmpty else { return false }
        return joins[JoinNote(from: source, to: destination, property)] != nil
    }

    mutating func withdrawJoin(_ note: JoinNote) { joins[note] = nil }

    /// Takes back a change to a pair.
    mutating func withdrawJoin(
        from source: ManagedObject, to destination: ManagedObject, _ property: Property
    ) {
        let note = JoinNote(from: source, to: destination, property)
        withdrawJoin(note)
        if let mirrored = note.mirrored(along: property) { withdrawJoin(mirrored) }
    }

    mutating func withdrawJoins(where isWithdrawn: (JoinNote) -> Bool) {
        joins = joins.filter { !isWithdrawn($0.key) }
    }

    /// Keeps transient values for a rollback, since rows do not have them.
    mutating func keepTransients(of object: ManagedObject) {
        guard let changes = object.changesBesideDraft else { return }
        let indexes = object.binding.entity.transientIndexes.filter(changes.contains)
        guard !indexes.isEmpty else { return }
        committedTransients[object] = Dictionary(
            uniqueKeysWithValues: indexes.map { ($0, changes[$0]) })
    }

    mutating func check(_ object: ManagedObject) { checked.insert(object) }

    // MARK: - All at once

    /// Forgets the objects that have left the context.
    mutating func forgetDetached() {
        let hasLeft = { (object: ManagedObject) in object.state.isDetached }
        inserted.removeAll(where: hasLeft)
        updated.removeAll(where: hasLeft)
        deleted.removeAll(where: hasLeft)
        event.removeAll(where: hasLeft)
        joins = joins.filter { !hasLeft($0.key.source) && !hasLeft($0.key.destination) }
        checked = checked.filter { !hasLeft($0) }
        committedTransients = committedTransients.filter { !hasLeft($0.key) }
    }

    /// Forgets what a save has written; the event goes on. Objects that changed after the save was
    /// planned stay listed.
    mutating func forgetSaved() {
        self = ChangeTracker(
            inserted: event.filter(\.isToBeInserted), updated: event.filter(\.isUpdated),
            event: event)
    }

    /// Forgets everything.
    mutating func reset() {
        for object in event { object.state.flags.remove(.changedInEvent) }
        self = ChangeTracker()
    }

    /// Goes back to an earlier copy. Objects to be checked for conflicts remain as they are.
    mutating func restore(_ earlier: ChangeTracker) {
        for object in event { object.state.flags.remove(.changedInEvent) }
        let checked = checked
        self = earlier
        self.checked = checked
        for object in event where !object.state.isDetached {
            object.state.flags.insert(.changedInEvent)
        }
    }
}

extension ChangeTracker {
    /// Throws if the lists contradict each other or the states of their objects.
    ///
    /// An object that has left the context may be listed until `forgetDetached`. A deleted object
    /// need not be listed while its saved deletion is announced.
    func checkInvariants() throws(BrokenInvariant) {
        let (new, changed, current) = (Set(inserted), Set(updated), Set(event))
        for object in inserted where !object.state.isDetached {
            try BrokenInvariant.require(
                object.state.life.isInsertion, "\(object) is listed as new but is not new.")
        }
        for object in event where !object.state.isDetached {
            try BrokenInvariant.require(
                object.state.flags.contains(.changedInEvent),
                "\(object) is listed in the event, but its state does not say so.")
            try BrokenInvariant.require(
                !object.isToBeInserted || new.contains(object),
                "\(object) is new but not listed as new.")
            try BrokenInvariant.require(
                !object.isUpdated || changed.contains(object),
                "\(object) is updated but not listed as updated.")
        }
        for object in objects where !object.state.isDetached {
            try BrokenInvariant.require(
                !object.state.flags.contains(.changedInEvent) || current.contains(object),
                "\(object) changed in the event but is not listed in it.")
        }
    }
}

extension ManagedObject {
    /// Makes an updated object clean; another one keeps its life.
    fileprivate final func forgetUpdate() {
        if state.life == .updated { enter(.clean) }
    }

    /// Whether the next save inserts the object.
    final var isToBeInserted: Bool { state.life.isInsertion && !state.isDeleted }

    /// Whether the next save deletes the object's row.
    final var isToBeDeleted: Bool { state.isDeleted && !state.life.isInsertion }
}
