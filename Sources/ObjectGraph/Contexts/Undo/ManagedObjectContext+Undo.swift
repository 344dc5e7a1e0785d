// Undo and redo: each event remembers how the objects it touched were (spec §2.9). Without an undo manager none of this
// runs.
extension ManagedObjectContext {
    /// Undoes what the last event has changed; does nothing without an undo manager.
    ///
    /// Pending changes are processed first. Saved changes can be undone as well, and are unsaved changes then.
    public func undo() { undoManager?.undo() }

    /// Redoes what was last undone; does nothing without an undo manager.
    public func redo() { undoManager?.redo() }

    // MARK: - Remembering

    /// Remembers an object before an event first touches it.
    func capture(_ object: ManagedObject, isAbsent: Bool = false) {
        guard undoManager?.isUndoRegistrationEnabled == true else { return }
        if !isAbsent, object.isFault {
            object.fireFault()
            // Nobody knows what there would be to go back to.
            if object.isFault { return }
        }
        undoRecorder.capture(ObjectCapture(object, isAbsent: isAbsent))
    }

    /// Remembers a pair of a many-to-many relationship that comes or goes.
    func capture(_ note: JoinNote, isAddition: Bool) {
        guard undoManager?.isUndoRegistrationEnabled == true else { return }
        undoRecorder.capture(note, isAddition: isAddition)
    }

    /// Makes the event that ends one step to undo, unless it has come to nothing.
    func registerUndo() {
        var event = undoRecorder.endEvent()
        var isSignificant = !event.joins.isEmpty
        for position in event.objects.indices where event.objects[position].reduce() {
            isSignificant = true
        }
        guard isSignificant else { return }
        undoManager?.registerUndo { [weak self] in self?.revert(event) }
    }

    // MARK: - Going back

    private func revert(_ event: EventCapture) {
        var reasons: [ManagedObject: SnapshotEvents] = [:]
        for capture in event.objects where capture.wasPresent {
            if bringBack(capture) { reasons[capture.object] = .undoDeletion }
        }
        tracker.dropWithdrawnDeletions()
        let captures = event.objects.filter(\.isToBeRestored)
        // Before members get their places back, which may be all that an order was.
        for capture in captures where !capture.orders.isEmpty { noteEvent(of: capture.object) }
        for capture in captures {
            if restoreValues(capture), reasons[capture.object] == nil {
                reasons[capture.object] = .undoUpdate
            }
        }
        for (note, isAddition) in event.joins {
            let property = note.source.binding.entity.properties[note.propertyIndex]
            guard !note.source.state.contains(.detached),
                !note.destination.state.contains(.detached),
                note.source.members(of: property).contains(note.destination) == isAddition
            else { continue }
            note.source.change(note.destination, in: property, isAddition: !isAddition)
        }
        for capture in captures {
            for (index, order) in capture.orders {
                capture.object.restore(order, at: index)
            }
        }
        for capture in event.objects where !capture.wasPresent {
            if takeAway(capture.object) { reasons[capture.object] = .undoInsertion }
        }
        // The event that this is ends here, and becomes what is redone.
        processChanges(isSaving: false)
        if event.saveCount == undoRecorder.saveCount { clean(event.objects) }
        for capture in event.objects {
            if let reason = reasons[capture.object] {
                capture.object.awake(fromSnapshotEvents: reason)
            }
        }
    }

    /// - Returns: Whether the object was gone.
    private func bringBack(_ capture: ObjectCapture) -> Bool {
        let object = capture.object
        if object.state.contains(.detached) {
            object.reference = undoRecorder.currentReference(object.reference)
            let table = table(object.binding.entity.index, object.binding.storeNumber)
            if let other = table[object.reference] {
                // It stands for the row now if somebody else has brought that back; if not, it is an empty fault.
                guard other.isFault, (try? currentRow(of: other)) == nil else { return false }
                tracker.withdrawDeletion(of: other)
                detach(other)
            }
            object.state = object.binding.initialState.union([.inserted, .broughtBack])
            register(object)
            return true
        }
        guard object.state.contains(.deleted) else { return false }
        if object.state.contains(.inaccessible) {
            expectRow(of: object)
        } else {
            noteEvent(of: object)
            object.state.subtract([.deleted, .deletionPropagated])
        }
        return true
    }

    /// - Returns: Whether any value was another.
    private func restoreValues(_ capture: ObjectCapture) -> Bool {
        let object = capture.object
        var hasChanged = false
        for (index, value) in capture.values {
            let property = object.binding.entity.properties[index]
            guard ObjectCapture.value(of: property, object) != value else { continue }
            hasChanged = true
            switch value {
            case .attribute(let value): object.setAttribute(value, at: index)
            case .destination(let destination):
                // Its own restoration does both ends if the destination is still gone.
                if let destination, destination.state.contains(.detached) { continue }
                object.setDestination(destination, of: property)
            }
        }
        return hasChanged
    }

    /// - Returns: Whether the object was there.
    private func takeAway(_ object: ManagedObject) -> Bool {
        guard !object.state.contains(.detached), !object.state.contains(.deleted) else {
            return false
        }
        if object.state.isNew {
            // No delete rule and no hook: the object has never been.
            for index in object.binding.entity.toOneIndexes {
                object.setDestination(nil, of: object.binding.entity.properties[index])
            }
            markDeleted(object)
            object.state.insert(.deletionPropagated)
        } else {
            delete(object)
        }
        return true
    }

    /// Objects that were clean before the event are clean again if nothing was saved since.
    private func clean(_ captures: [ObjectCapture]) {
        var cleaned: Set<ManagedObject> = []
        for capture in captures where capture.presence == .clean {
            let object = capture.object
            guard object.isUpdated, object.changedProperties.isEmpty,
                !object.hasMemberThatMoves
            else { continue }
            object.discardSavedChanges()
            cleaned.insert(object)
        }
        guard !cleaned.isEmpty else { return }
        tracker.withdrawUpdates(of: cleaned)
        for capture in captures {
            capture.object.contents?.forgetNotes(about: cleaned.contains)
            if cleaned.contains(capture.object) { capture.object.contents?.forgetNotes() }
        }
        // Nothing was unsaved about a clean object before, so nothing is now, such as a member added again.
        for note in tracker.joins.keys
        where cleaned.contains(note.source) || cleaned.contains(note.destination) {
            tracker.withdrawJoin(note)
            for end in [note.source, note.destination] {
                end.contents?.forgetNotes(about: cleaned.contains)
                end.contents?.unload()
            }
        }
    }
}

extension ManagedObject {
    /// Whether an unsaved change of a member's own end has brought it here or taken it away.
    fileprivate final var hasMemberThatMoves: Bool {
        contents?.relationships.contains { index, contents in
            let property = binding.entity.properties[index]
            guard let inverse = binding.model.inverse(of: property.relationship!),
                inverse.kind == .toOne
            else { return false }
            return contents.notes.contains { member, _ in
                guard !member.isFault else { return false }
                let wasMember =
                    !member.state.contains(.inserted)
                    && member.storedDestination(of: inverse) === self
                return (member.destination(of: inverse) === self) != wasMember
            }
        } ?? false
    }

    /// Gives the members of an ordered relationship their order back.
    ///
    /// If others have moved some here or away since the event began, those that were here then have their order among
    /// themselves, and all get places that fit what is shown: undo may have given some of them their old ones back.
    fileprivate final func restore(_ order: [ManagedObject], at index: Int) {
        let property = binding.entity.properties[index]
        let shown = orderedDestinations(of: property)
        let members = Set(shown)
        var remembered = order.filter(members.contains)[...]
        let isRemembered = Set(remembered)
        willChange()
        reorder(
            shown.map { isRemembered.contains($0) ? remembered.removeFirst() : $0 }, of: property)
        if members != Set(order) { contents?.relationships[index]?.noteReordering() }
    }
}
