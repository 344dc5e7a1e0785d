/// Undoes or redoes an event: gives the objects that it touched their captured state (spec §2.9).
struct Reversion {
    let context: ManagedObjectContext
    let event: EventCapture

    func run() {
        context.beginOperation()
        defer { context.endOperation() }
        var reasons: [ManagedObject: SnapshotEvents] = [:]
        for capture in event.objects where capture.wasPresent && capture.isGone {
            if bringBack(capture) { reasons[capture.object] = .undoDeletion }
        }
        context.tracker.dropWithdrawnDeletions()
        let captures = event.objects.filter(\.isToBeRestored)
        // Captured before members get their places back, since an order may consist of these places
        // only.
        for capture in captures where !capture.orders.isEmpty {
            context.noteEvent(of: capture.object)
        }
        for capture in captures {
            if restoreValues(capture), reasons[capture.object] == nil {
                reasons[capture.object] = .undoUpdate
            }
        }
        for (note, isAddition) in event.joins {
            let property = note.source.binding.entity.properties[note.propertyIndex]
            guard !note.source.isMissing, !note.destination.isMissing,
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
        // Undoing is itself an event. It ends here and becomes the redo step.
        context.processChanges(isSaving: false)
        if event.saveCount == context.undoRecorder.saveCount { clean() }
        for capture in event.objects {
            if let reason = reasons[capture.object] {
                capture.object.awake(fromSnapshotEvents: reason)
            }
        }
    }

    /// - Returns: Whether the object was deleted.
    private func bringBack(_ capture: ObjectCapture) -> Bool {
        let object = capture.object
        if object.state.isDetached {
            object.reference = context.undoRecorder.currentReference(object.reference)
            let table = context.table(object.binding.entity.index, object.binding.storeNumber)
            if let other = table[object.reference] {
                // The other object is kept if its row exists again. Otherwise it is an empty fault.
                guard other.isFault, (try? context.currentRow(of: other)) == nil else {
                    return false
                }
                context.tracker.withdrawDeletion(of: other)
                context.detach(other)
            }
            object.state = ObjectState(life: .broughtBack, flags: object.binding.initialFlags)
            context.register(object)
            return true
        }
        switch object.state.deletion {
        case .none, .merged, .mergedToo: return false
        case .foundGone: object.expectRow(in: context)
        case .marked, .propagated, .renewed:
            context.noteEvent(of: object)
            object.state.deletion = .none
        }
        return true
    }

    /// - Returns: Whether any value was different.
    private func restoreValues(_ capture: ObjectCapture) -> Bool {
        let object = capture.object
        var hasChanged = false
        for (index, value) in capture.values {
            let property = object.binding.entity.properties[index]
            guard ObjectCapture.value(of: property, object) != value else { continue }
            if case .file(let file) = value, file.data == nil { continue }
            hasChanged = true
            switch value {
            case .attribute(let value): object.setAttribute(value, at: index)
            case .file(let file): object.setAttribute(.data(file.data!), at: index)
            case .destination(let destination):
                // If the destination is still detached, its own restoration sets both ends.
                if let destination, destination.isMissing { continue }
                object.setDestination(destination, of: property)
            }
        }
        return hasChanged
    }

    /// - Returns: Whether the object existed.
    private func takeAway(_ object: ManagedObject) -> Bool {
        guard !object.state.isDetached, !object.state.isDeleted else {
            return false
        }
        if object.state.life.isNew {
            // No delete rule and no hook, since the insertion itself is undone.
            for index in object.binding.entity.toOneIndexes {
                object.setDestination(nil, of: object.binding.entity.properties[index])
            }
            context.markDeleted(object)
            object.state.deletion = .propagated
        } else {
            context.delete(object)
        }
        return true
    }

    /// Makes objects clean that were clean before the event, if nothing was saved since.
    private func clean() {
        var cleaned: Set<ManagedObject> = []
        for capture in event.objects where capture.presence == .clean {
            let object = capture.object
            guard object.isUpdated, object.changedProperties.isEmpty,
                !object.hasMemberThatMoves
            else { continue }
            object.discardSavedChanges()
            cleaned.insert(object)
        }
        guard !cleaned.isEmpty else { return }
        context.tracker.withdrawUpdates(of: cleaned)
        for capture in event.objects {
            capture.object.contents?.forgetNotes(about: cleaned.contains)
            if cleaned.contains(capture.object) { capture.object.contents?.forgetNotes() }
        }
        // A clean object had no unsaved pairs before, so it has none now, such as a member added
        // again.
        for note in context.tracker.joins.keys
        where cleaned.contains(note.source) || cleaned.contains(note.destination) {
            context.tracker.withdrawJoin(note)
            for end in [note.source, note.destination] {
                end.contents?.forgetNotes(about: cleaned.contains)
                end.contents?.unload()
            }
        }
    }
}

extension ManagedObject {
    /// Whether the object is in no context, or others have deleted it.
    fileprivate final var isMissing: Bool { state.isDetached || state.deletion.isMerged }

    /// Restores the order of the members of an ordered relationship.
    ///
    /// If others have added or removed members since the event began, the captured members get
    /// their order among themselves. All members then get new places that fit the order shown,
    /// since undo may have restored old places of some.
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
