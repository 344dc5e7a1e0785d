import Dispatch
import Foundation
import Synchronization

/// The queue of a context: which thread is inside it, and what has to end when that thread leaves.
struct ContextQueue: ~Copyable {
    // The variables are atomics so that the queue is a constant, which blocks may use while they
    // run in it. All but the owner are used on the queue only: relaxed, they cost what others do.

    let type: ManagedObjectContext.ConcurrencyType
    let dispatchQueue: DispatchQueue

    /// Whether each use of the context has to be checked for the queue.
    let checksUse: Bool

    /// The thread that is inside the queue; 0 if none is.
    private let owner = Atomic<UInt>(0)

    /// Whether faults fired since the owner entered may have left a snapshot open.
    private let holdsSnapshot = Atomic<Bool>(false)

    /// Whether the event ends by itself: inside `perform`, or when the main queue gets to it.
    private let endsEvent = Atomic<Bool>(false)

    init(
        _ type: ManagedObjectContext.ConcurrencyType, name: String?, checksUse: Bool
    ) {
        self.type = type
        self.checksUse = checksUse
        dispatchQueue =
            type == .mainQueue
            ? .main : DispatchQueue(label: name ?? "ObjectGraph.ManagedObjectContext")
        // Lets messages name the queue that code runs on.
        guard checksUse, type == .privateQueue else { return }
        dispatchQueue.setSpecific(key: Self.label, value: dispatchQueue.label)
    }

    // MARK: - The owner

    /// Whether a thread is inside the queue.
    var isEntered: Bool { owner.load(ordering: .relaxed) != 0 }

    /// Whether the calling thread is inside the queue.
    var isCurrent: Bool {
        owner.load(ordering: .relaxed) == Holder.currentThread
            || (type == .mainQueue && Self.isMainCurrent)
    }

    /// Makes the calling thread the owner.
    ///
    /// - Returns: The owner before, which `leave` takes.
    func enter() -> UInt { owner.exchange(Holder.currentThread, ordering: .relaxed) }

    /// - Returns: Whether a snapshot was left open, which the caller has to end.
    func leave(_ previous: UInt) -> Bool {
        owner.store(previous, ordering: .releasing)
        guard holdsSnapshot.load(ordering: .relaxed) else { return false }
        holdsSnapshot.store(false, ordering: .relaxed)
        return true
    }

    /// Shows the calling thread what the last owner has done before it left.
    func synchronize() { _ = owner.load(ordering: .acquiring) }

    /// Whether the owner may leave a snapshot open, which it then ends when it leaves.
    func keepsSnapshot() -> Bool {
        guard isEntered else { return false }
        holdsSnapshot.store(true, ordering: .relaxed)
        return true
    }

    // MARK: - The event

    /// Whether an event that begins now would not end: outside `perform` on the main queue.
    @inline(__always)
    var needsEndOfEvent: Bool { type == .mainQueue && !endsEvent.load(ordering: .relaxed) }

    func setEndsEvent(_ endsEvent: Bool) { self.endsEvent.store(endsEvent, ordering: .relaxed) }

    // MARK: - The main queue

    /// Whether the calling thread is on the main queue.
    // On Linux a thread other than the main one may serve the main queue (`dispatchMain`), so both
    // are asked.
    static var isMainCurrent: Bool {
        mainOwner.load(ordering: .relaxed) == Holder.currentThread || Thread.isMainThread
            || DispatchQueue.getSpecific(key: mainMark) != nil
    }

    /// Waits for something while the main queue still counts as the calling thread's.
    static func keepingMain<Result>(_ wait: () throws -> Result) rethrows -> Result {
        let previous = mainOwner.exchange(Holder.currentThread, ordering: .relaxed)
        defer { mainOwner.store(previous, ordering: .relaxed) }
        return try wait()
    }

    /// The thread that has left the main queue for a private queue and waits there; 0 if none does.
    private static let mainOwner = Atomic<UInt>(0)

    private static let mainMark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    // MARK: - Names for messages

    var name: String {
        type == .mainQueue ? "the main queue" : "its private queue '\(dispatchQueue.label)'"
    }

    static var currentName: String {
        if isMainCurrent { return "the main queue" }
        if let label = DispatchQueue.getSpecific(key: label) { return "the queue '\(label)'" }
        return "a thread outside of any context's queue"
    }

    private static let label = DispatchSpecificKey<String>()
}

extension ContextQueue {
    /// Throws if something was left for the end of a turn that nobody is in.
    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.require(
            isEntered || !holdsSnapshot.load(ordering: .relaxed),
            "A snapshot is open and no thread is inside \(name).")
        try BrokenInvariant.require(
            isEntered || type == .mainQueue || !endsEvent.load(ordering: .relaxed),
            "An event is under way and no thread is inside \(name).")
    }
}
