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
    /// Source: spec §4.1.
    public func perform(_ block: @escaping @Sendable () -> Void) {
        queue.dispatchQueue.async { self.runEvent(block) }
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
    public func performAndWait<Result: Sendable>(
        _ block: @Sendable () throws -> Result
    ) rethrows -> Result {
        if isOnQueue { return try block() }
        if queue.type == .privateQueue, ContextQueue.isMainCurrent {
            return try ContextQueue.keepingMain {
                try queue.dispatchQueue.sync { try asOwner(block) }
            }
        }
        return try queue.dispatchQueue.sync { try asOwner(block) }
    }

    /// Runs the block on the context's queue and returns what it returns.
    ///
    /// Pending changes are processed at the end of the block. May be called from any task.
    public func perform<Result: Sendable>(
        schedule: PerformSchedule = .immediate, _ block: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        if schedule == .immediate, isOnQueue { return try block() }
        // The thread sanitizer does not see the synchronization of a result that is there before it
        // is awaited (`swift_continuation_await`). This pairs with the store at the end of the
        // block.
        defer { queue.synchronize() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.dispatchQueue.async {
                let result = Swift.Result { try self.runEvent(block) }
                continuation.resume(with: result)
            }
        }
    }

    /// Whether the calling thread is inside the context's queue.
    var isOnQueue: Bool { queue.isCurrent }

    private func runEvent<Result>(_ block: () throws -> Result) rethrows -> Result {
        try asOwner {
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

    private func asOwner<Result>(_ block: () throws -> Result) rethrows -> Result {
        let previous = queue.enter()
        defer { if queue.leave(previous) { coordinator.endTurn() } }
        followReset()
        takeMail()
        return try block()
    }

    private func endEvent() {
        queue.setEndsEvent(false)
        processPendingChanges()
        sweepIfGrown()
    }
}
