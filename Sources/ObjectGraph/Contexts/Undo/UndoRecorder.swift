/// The records from which a context's changes can be undone.
struct UndoRecorder {
    /// The captures of the current event; empty without an undo manager.
    private var event = EventCapture()

    /// How often the context was saved.
    private(set) var saveCount = 0

    /// Permanent references, assigned by saves further up, by the temporary ones that they replace.
    /// Undo may bring back objects that still have the temporary ones.
    private var permanentReferences: [Int64: Int64] = [:]

    /// The versions of deleted rows, which undo may bring back, by their references.
    private var deletedVersions: [Int64: UInt32] = [:]

    /// The last temporary reference given to any object before the last save; later ones are
    /// smaller.
    private var lastSavedReference = Int64.max

    // MARK: - The event

    mutating func capture(_ object: ObjectCapture) { event.objects.append(object) }

    /// Captures a pair that is added or removed. The opposite in the same event cancels it.
    mutating func capture(_ note: JoinNote, isAddition: Bool) {
        event.joins[note] = event.joins[note] == !isAddition ? nil : isAddition
    }

    /// Ends the event and returns its captures.
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

    mutating func noteDeletion(of reference: Int64, version: UInt32) {
        deletedVersions[reference] = version
    }

    /// The version of a row when its deletion was saved; nil if this context has not deleted it.
    func deletedVersion(of reference: Int64) -> UInt32? { deletedVersions[reference] }

    /// Removes everything recorded for undo.
    mutating func forgetChanges() {
        event = EventCapture()
        permanentReferences = [:]
        deletedVersions = [:]
    }
}

extension UndoRecorder {
    /// Throws if a permanent reference is recorded as temporary, or a temporary one as permanent.
    func checkInvariants() throws(BrokenInvariant) {
        for (temporary, permanent) in permanentReferences {
            try BrokenInvariant.require(
                temporary < 0 && permanent >= 0, "\(temporary) is to become \(permanent).")
        }
    }
}
