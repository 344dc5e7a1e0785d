// Undo and redo: each event captures the state of the objects it touches (spec §2.9). Without an
// undo manager none of this runs.
extension ManagedObjectContext {
    /// Undoes the last event; does nothing without an undo manager.
    ///
    /// Pending changes are processed first. Undoing changes that were saved makes pending changes.
    public func undo() { undoManager?.undo() }

    /// Redoes the last undone event; does nothing without an undo manager.
    public func redo() { undoManager?.redo() }

    // MARK: - Remembering

    /// Captures an object before an event first touches it.
    func capture(_ object: ManagedObject, isAbsent: Bool = false) {
        guard undoManager?.isUndoRegistrationEnabled == true else { return }
        if !isAbsent, object.isFault {
            object.fireFault()
            // There is no earlier snapshot to restore.
            if object.isFault { return }
        }
        undoRecorder.capture(ObjectCapture(object, isAbsent: isAbsent))
    }

    /// Captures a pair of a many-to-many relationship that is added or removed.
    func capture(_ note: JoinNote, isAddition: Bool) {
        guard undoManager?.isUndoRegistrationEnabled == true else { return }
        undoRecorder.capture(note, isAddition: isAddition)
    }

    /// Registers the ending event as one undo step, unless nothing has changed.
    func registerUndo() {
        var event = undoRecorder.endEvent()
        var isSignificant = !event.joins.isEmpty
        for position in event.objects.indices where event.objects[position].reduce() {
            isSignificant = true
        }
        guard isSignificant else { return }
        undoManager?.registerUndo { [weak self] in
            if let self { Reversion(context: self, event: event).run() }
        }
    }
}
