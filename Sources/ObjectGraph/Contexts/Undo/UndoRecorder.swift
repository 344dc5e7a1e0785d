/// What a context remembers so that its changes can be undone.
struct UndoRecorder {
    /// How the objects of the event were before it; empty without an undo manager.
    private var event = EventCapture()

    /// How often the context was saved.
    private(set) var saveCount = 0

    /// By temporary reference: the permanent ones that saves further up have given. Undo may bring
    /// back objects that have the temporary ones.
    private var permanentReferences: [Int64: Int64] = [:]

    /// The last temporary reference given to any object before the last save; later ones are less.
    private var lastSavedReference = Int64.max

    // MARK: - The event

    mutating func capture(_ object: ObjectCapture) { event.objects.append(object) }

    /// Remembers a pair that is added or removed. The opposite in the same event cancels it.
    mutating func capture(_ note: JoinNote, isAddition: Bool) {
        event.joins[note] = event.joins[note] == !isAddition ? nil : isAddition
    }

    /// Ends the event and returns what is known about it.
    mutating func endEvent() -> EventCapture {
        var ended = EventCapture()
        swap(&ended, &event)
        ended.saveCount = saveCount
        return ended
    }

    mutating func forgetEvent() { event = EventCapture() }

    // MARK: - Saves and references

    mutating func noteSave() {
        saveCount += 1
        lastSavedReference = ObjectIDScope.lastTemporaryReference
    }

    /// Whether an object with this temporary reference may have been saved before.
    func mayHaveBeenSaved(_ temporary: Int64) -> Bool { temporary >= lastSavedReference }

    mutating func noteRenewal(of temporary: Int64, to permanent: Int64) {
        permanentReferences[temporary] = permanent
    }

    /// The permanent reference that replaces a temporary one, or the reference itself.
    func currentReference(_ reference: Int64) -> Int64 {
        permanentReferences[reference] ?? reference
    }

    /// Forgets what could be undone.
    mutating func forgetChanges() {
        event = EventCapture()
        permanentReferences = [:]
    }
}

extension UndoRecorder {
    /// Throws if a permanent reference would be replaced.
    func checkInvariants() throws(BrokenInvariant) {
        for (temporary, permanent) in permanentReferences {
            try BrokenInvariant.require(
                temporary < 0 && permanent >= 0, "\(temporary) is to become \(permanent).")
        }
    }
}
