// ConcurrencyDebug: stops the process when a context or an object is used off its queue
// (spec §4.8).
extension ManagedObjectContext {
    /// Called first by everything that must run on the context's queue.
    @inline(__always)
    func checkQueue() {
        if queue.checksUse { requireQueue(for: nil) }
    }

    /// Stops the process unless the calling thread is inside the context's queue.
    @inline(never)
    func requireQueue(for object: ManagedObject?) {
        guard !isOnQueue else { return }
        let subject = object.map { "The object \($0.objectID) of the" } ?? "The"
        let remedy =
            object == nil
            ? "Enter the context with perform or performAndWait."
            : "Pass its objectID instead, and look it up in a context of this queue."
        fatalError(
            "ConcurrencyDebug: \(subject) context '\(name ?? "without a name")' belongs to \(queue.name) and was used on \(ContextQueue.currentName). \(remedy)"
        )
    }
}
