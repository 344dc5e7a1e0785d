// What must be true of a context between two uses of it.
extension ManagedObjectContext {
    /// Throws if a part of the context contradicts itself or another part. Visits every object.
    func checkInvariants() throws(BrokenInvariant) {
        try queue.checkInvariants()
        try tracker.checkInvariants()
        try identityMap.checkInvariants()
        try undoRecorder.checkInvariants()
        let inserted = Set(tracker.inserted)
        let updated = Set(tracker.updated)
        for object in identityMap.objects {
            try BrokenInvariant.require(
                !object.isToBeInserted || inserted.contains(object),
                "\(object) is registered as new and not listed as new.")
            try BrokenInvariant.require(
                !object.isUpdated || updated.contains(object),
                "\(object) is registered as updated and not listed as updated.")
        }
    }

    /// Ends a use of the context. Stops a debug build whose invariants are broken.
    @inline(__always)
    func assertInvariants() {
        #if DEBUG
            do { try checkInvariants() } catch { fatalError("\(error)") }
        #endif
    }

    /// Ends a use of the context that changes pending changes alone.
    @inline(__always)
    func assertPendingInvariants() {
        #if DEBUG
            do { try tracker.checkInvariants() } catch { fatalError("\(error)") }
        #endif
    }
}
