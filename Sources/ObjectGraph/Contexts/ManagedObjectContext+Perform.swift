import Dispatch

/// When an asynchronous `perform` runs its block.
public enum PerformSchedule: Sendable, Hashable {
    /// At once if the caller is on the context's queue already, otherwise when the queue gets to
    /// it.
    case immediate
    /// After everything that already waits.
    case enqueued
}

extension ManagedObjectContext {
    /// Runs the block on the context's queue, after everything that already waits; returns at once.
    ///
    /// Pending changes are processed at the end of the block. May be called from any thread.
    ///
    /// An asynchronous function gets the `perform` that waits. The compiler chooses this one in
    /// top-level code, even behind `await`, and then refuses it: name the schedule there.
    /// Source: spec §4.1.
    @available(
        *, noasync,
        message: "In top-level code, wait with perform(schedule: .immediate) { … } instead."
    )
    public func perform(_ block: @escaping @Sendable () -> Void) {
        let enqueued = queue.noteEnqueued()
        queue.dispatchQueue.async { self.runEvent(after: enqueued, block) }
    }

    /// Runs the block on the context's queue and waits for it.
    ///
    /// 1. A caller on the queue runs the block at once.
    /// 2. A caller on the main queue that enters a private queue keeps the main queue: the block
    ///    may enter main-queue contexts, such as the parent of this one.
    /// 3. Any other caller waits until the queue is free.
    ///
    /// A block of a private context runs on the calling thread. Pending changes are not processed
    /// at its end. May be called from any thread.
    ///
    /// - Throws: What the block throws, and nothing else.
    public func performAndWait<Result: Sendable, Failure: Error>(
        _ block: @Sendable () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isOnQueue { return try block() }
        func wait() -> Swift.Result<Result, Failure> {
            queue.sync { waited in
                Swift.Result { () throws(Failure) in try asOwner(after: waited, block) }
            }
        }
        guard queue.type == .privateQueue, ContextQueue.isMainCurrent else {
            return try wait().get()
        }
        return try ContextQueue.keepingMain(wait).get()
    }

    /// Runs the block on the context's queue and returns what it returns.
    ///
    /// Pending changes are processed at the end of the block. May be called from any task.
    ///
    /// - Throws: What the block throws, and nothing else.
    public func perform<Result: Sendable, Failure: Error>(
        schedule: PerformSchedule = .immediate,
        _ block: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if schedule == .immediate, isOnQueue { return try block() }
        // The thread sanitizer does not see the synchronization of a result that is there before it
        // is awaited (`swift_continuation_await`). This pairs with the store at the end of the
        // block.
        defer { queue.synchronize() }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Swift.Result<Result, Failure>, Never>) in
            let enqueued = queue.noteEnqueued()
            queue.dispatchQueue.async {
                continuation.resume(
                    returning: Swift.Result { () throws(Failure) in
                        try self.runEvent(after: enqueued, block)
                    })
            }
        }
        return try result.get()
    }

    /// Whether the calling thread is inside the context's queue.
    var isOnQueue: Bool { queue.isCurrent }

    /// - Parameter enqueued: As for `asOwner`.
    private func runEvent<Result, Failure: Error>(
        after enqueued: UInt64 = 0, _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try asOwner(after: enqueued) { () throws(Failure) in
            queue.setEndsEvent(true)
            defer { endEvent() }
            return try block()
        }
    }

    /// Ends an event on the main queue that did not begin in `perform`, as soon as the main queue
    /// gets to it.
    @inline(__always)
    func beginEvent() {
        if queue.needsEndOfEvent { enqueueEndOfEvent() }
    }

    @inline(never)
    private func enqueueEndOfEvent() {
        queue.setEndsEvent(true)
        queue.dispatchQueue.async { [weak self] in self?.runEvent {} }
    }

    /// - Parameter enqueued: The event that has handed the block to the queue, for traces; 0 without
    ///   a tracer.
    private func asOwner<Result, Failure: Error>(
        after enqueued: UInt64 = 0, _ block: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let span = queue.beginBlock()
        defer { queue.endBlock(span, after: enqueued) }
        let previous = queue.enter()
        defer { if queue.leave(previous) { coordinator.endTurn() } }
        followReset()
        takePendingUpdates()
        return try block()
    }

    private func endEvent() {
        queue.setEndsEvent(false)
        processPendingChanges()
        sweepIfGrown()
    }
}
