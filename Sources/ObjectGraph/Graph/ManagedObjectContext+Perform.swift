import Dispatch
import Foundation
import Synchronization

/// When an asynchronous `perform` runs its block.
public enum PerformSchedule: Sendable, Hashable {
    /// At once if the caller is on the context's queue already, else as soon as the queue gets to it.
    case immediate
    /// After everything that is already waiting.
    case enqueued
}

extension ManagedObjectContext {
    /// Runs the block on the context's queue, after everything that is already waiting; returns at once.
    ///
    /// Pending changes are processed at the end of the block. May be called from any thread. Source: spec §4.1.
    public func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.runEvent(block) }
    }

    /// Runs the block on the context's queue and waits for it; at once if the caller is on the queue already.
    ///
    /// A block of a private context runs on the calling thread. Pending changes are not processed at its end.
    /// May be called from any thread.
    public func performAndWait<Result: Sendable>(
        _ block: @Sendable () throws -> Result
    ) rethrows -> Result {
        if isOnQueue { return try block() }
        // While code on the main queue waits for this queue, the main queue still belongs to the thread: a child
        // context entered from there may enter its main-queue parent.
        let waitsOnMainQueue = concurrencyType == .privateQueue && Self.isOnMainQueue
        guard waitsOnMainQueue else { return try queue.sync { try asOwner(block) } }
        let previous = Self.mainQueueOwner.exchange(Holder.currentThread, ordering: .relaxed)
        defer { Self.mainQueueOwner.store(previous, ordering: .relaxed) }
        return try queue.sync { try asOwner(block) }
    }

    /// Runs the block on the context's queue and returns what it returns.
    ///
    /// Pending changes are processed at the end of the block. May be called from any task.
    public func perform<Result: Sendable>(
        schedule: PerformSchedule = .immediate, _ block: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        if schedule == .immediate, isOnQueue { return try block() }
        // The runtime does not tell the thread sanitizer of a result that is there before it is awaited
        // (`swift_continuation_await`). This pairs with what the end of the block stores.
        defer { _ = owner.load(ordering: .acquiring) }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                let result = Swift.Result { try self.runEvent(block) }
                continuation.resume(with: result)
            }
        }
    }

    /// Whether the calling thread is inside the context's queue.
    var isOnQueue: Bool {
        owner.load(ordering: .relaxed) == Holder.currentThread
            || (concurrencyType == .mainQueue && Self.isOnMainQueue)
    }

    // On Linux the main queue may be served by another thread than the main one (`dispatchMain`), so both are asked.
    static var isOnMainQueue: Bool {
        mainQueueOwner.load(ordering: .relaxed) == Holder.currentThread || Thread.isMainThread
            || DispatchQueue.getSpecific(key: mainQueueMark) != nil
    }

    /// The thread that has left the main queue for a private queue and waits there; 0 if none does.
    private static let mainQueueOwner = Atomic<UInt>(0)

    private static let mainQueueMark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private func runEvent<Result>(_ block: () throws -> Result) rethrows -> Result {
        try asOwner {
            endsEvent = true
            defer { endEvent() }
            return try block()
        }
    }

    /// Sees to it that an event of the main queue ends that nobody has begun with `perform`: as soon as the main queue gets
    /// to it.
    @inline(__always)
    func beginEvent() {
        if concurrencyType == .mainQueue, !endsEvent { enqueueEndOfEvent() }
    }

    @inline(never)
    private func enqueueEndOfEvent() {
        endsEvent = true
        queue.async { [weak self] in self?.runEvent {} }
    }

    private func asOwner<Result>(_ block: () throws -> Result) rethrows -> Result {
        let previous = owner.exchange(Holder.currentThread, ordering: .relaxed)
        defer {
            owner.store(previous, ordering: .releasing)
            if holdsSnapshot {
                holdsSnapshot = false
                coordinator.endTurn()
            }
        }
        followReset()
        takeMail()
        return try block()
    }

    /// Whether a fault fired now may share a snapshot with those before it: inside `perform`, which ends the snapshot.
    func keepsSnapshot() -> Bool {
        guard owner.load(ordering: .relaxed) != 0 else { return false }
        holdsSnapshot = true
        return true
    }

    private func endEvent() {
        endsEvent = false
        processPendingChanges()
        sweepIfGrown()
    }
}
