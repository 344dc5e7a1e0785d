// The invariants of a context, which hold while no code uses it.
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
                "\(object) is registered as new but not listed as new.")
            try BrokenInvariant.require(
                !object.isUpdated || updated.contains(object),
                "\(object) is registered as updated but not listed as updated.")
        }
    }

    /// Called at the end of a use of the context. Stops a debug build if an invariant is broken.
    @inline(__always)
    func assertInvariants() {
        #if DEBUG
        do { try checkInvariants() } catch { fatalError("\(error)") }
        #endif
    }

    /// Called at the end of a use that affects only pending changes.
    @inline(__always)
    func assertPendingInvariants() {
        #if DEBUG
        do { try tracker.checkInvariants() } catch { fatalError("\(error)") }
        #endif
    }
}
