import Dispatch
import Foundation
import Synchronization

/// The queue of a context: which thread is inside it, and what ends when that thread leaves.
struct ContextQueue: ~Copyable {
    // The variables are atomics so that the queue is a constant, which blocks may use while they
    // run in it. All but the owner are used on the queue only; relaxed access costs the same as a
    // plain one.

    let type: ManagedObjectContext.ConcurrencyType
    let dispatchQueue: DispatchQueue

    /// Whether each use of the context has to be checked for the queue.
    let checksUse: Bool

    /// The thread that is inside the queue; 0 if none is.
    private let owner = Atomic<UInt>(0)

    /// Whether faults fired since the owner entered may have left a snapshot open.
    private let holdsSnapshot = Atomic<Bool>(false)

    /// Whether the end of the event is already arranged: by `perform`, or by a block on the main
    /// queue.
    private let endsEvent = Atomic<Bool>(false)

    /// The context in traces.
    private let lazyTrack = LazyTraceName()
    private let contextName: String?

    /// The traced block that runs on the private queue; 0 if there is none.
    private let runningBlock = Atomic<UInt64>(0)
    private static let runningMainBlock = Atomic<UInt64>(0)

    init(
        _ type: ManagedObjectContext.ConcurrencyType, name: String?, checksUse: Bool
    ) {
        self.type = type
        contextName = name
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
        owner.load(ordering: .relaxed) == CurrentThread.identity
            || (type == .mainQueue && Self.isMainCurrent)
    }

    /// Makes the calling thread the owner.
    ///
    /// - Returns: The owner before, which `leave` takes.
    func enter() -> UInt { owner.exchange(CurrentThread.identity, ordering: .relaxed) }

    /// - Returns: Whether a snapshot was left open, which the caller must end.
    func leave(_ previous: UInt) -> Bool {
        owner.store(previous, ordering: .releasing)
        guard holdsSnapshot.load(ordering: .relaxed) else { return false }
        holdsSnapshot.store(false, ordering: .relaxed)
        return true
    }

    /// Makes everything that the last owner did visible to the calling thread.
    func synchronize() { _ = owner.load(ordering: .acquiring) }

    /// Lets the owner leave a snapshot open, which is ended when it leaves.
    ///
    /// - Returns: False if nobody has entered, so that nothing would end the snapshot.
    func keepSnapshot() -> Bool {
        guard isEntered else { return false }
        holdsSnapshot.store(true, ordering: .relaxed)
        return true
    }

    // MARK: - The event

    /// Whether nothing would end an event that begins now: outside `perform` on the main queue.
    @inline(__always)
    var needsEndOfEvent: Bool { type == .mainQueue && !endsEvent.load(ordering: .relaxed) }

    func setEndsEvent(_ endsEvent: Bool) { self.endsEvent.store(endsEvent, ordering: .relaxed) }

    // MARK: - The main queue

    /// Whether the calling thread is on the main queue.
    // On Linux a thread other than the main one may serve the main queue (`dispatchMain`), so both
    // are checked.
    static var isMainCurrent: Bool {
        mainOwner.load(ordering: .relaxed) == CurrentThread.identity || CurrentThread.isMain
            || DispatchQueue.getSpecific(key: mainMark) != nil
    }

    /// Waits for something while the calling thread still counts as being on the main queue.
    static func keepingMain<Result>(_ wait: () throws -> Result) rethrows -> Result {
        let previous = mainOwner.exchange(CurrentThread.identity, ordering: .relaxed)
        defer { mainOwner.store(previous, ordering: .relaxed) }
        return try wait()
    }

    /// The thread that waits in a private queue, having come from the main queue; 0 if there is
    /// none.
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

// MARK: - Tracing

extension ContextQueue {
    var track: TraceName {
        lazyTrack.get {
            .unique(contextName ?? (type == .mainQueue ? "main context" : "private context"))
        }
    }

    /// The traced block that runs on the queue; 0 if there is none.
    private var running: UInt64 {
        get {
            switch type {
            case .mainQueue: Self.runningMainBlock.load(ordering: .relaxed)
            case .privateQueue: runningBlock.load(ordering: .relaxed)
            }
        }
        nonmutating set {
            switch type {
            case .mainQueue: Self.runningMainBlock.store(newValue, ordering: .relaxed)
            case .privateQueue: runningBlock.store(newValue, ordering: .relaxed)
            }
        }
    }

    /// Reports that a block was handed to the queue.
    ///
    /// - Returns: The cause of the block; 0 without a tracer.
    func noteEnqueued() -> UInt64 {
        guard EventTracing.isOn.load(ordering: .relaxed) else { return 0 }
        let identifier = EventTracing.makeIdentifier()
        TraceSpan.point(.enqueue, on: track, identifier: identifier)
        return identifier
    }

    /// A block that runs on the queue.
    struct BlockSpan {
        fileprivate var span = TraceSpan()
        fileprivate var identifier: UInt64 = 0
        /// The block around this one, in another context of the main queue.
        fileprivate var outer: UInt64 = 0
    }

    @inline(__always)
    func beginBlock() -> BlockSpan {
        var block = BlockSpan()
        if block.span.isOn { enter(&block) }
        return block
    }

    @inline(never)
    private func enter(_ block: inout BlockSpan) {
        EventTracing.enterBlock()
        block.identifier = EventTracing.makeIdentifier()
        block.outer = running
        running = block.identifier
    }

    @inline(__always)
    func endBlock(_ block: BlockSpan, after enqueued: UInt64) {
        if block.span.isOn { report(block, enqueued) }
    }

    @inline(never)
    private func report(_ block: BlockSpan, _ enqueued: UInt64) {
        running = block.outer
        EventTracing.leaveBlock()
        block.span.end(
            .block, on: track, type == .mainQueue ? .mainQueue : .none,
            identifier: block.identifier, cause: enqueued)
    }

    /// Waits for the queue and runs the work on it, on the calling thread or that of the main queue.
    ///
    /// - Parameter work: Gets the event of the wait; 0 without a tracer.
    func sync<Result>(_ work: (_ waited: UInt64) -> Result) -> Result {
        guard EventTracing.isOn.load(ordering: .relaxed) else {
            return dispatchQueue.sync { work(0) }
        }
        let wait = TraceSpan()
        let identifier = EventTracing.makeIdentifier()
        let holder = running
        let caller = CurrentThread.identity
        var inside = wait
        var isElsewhere = false
        defer {
            wait.end(
                .waitForQueue, on: track, identifier: identifier, cause: holder, before: inside)
            if isElsewhere { inside.end(.waitForBlock, on: track, cause: identifier) }
        }
        return dispatchQueue.sync {
            inside = TraceSpan()
            isElsewhere = CurrentThread.identity != caller
            return work(identifier)
        }
    }
}

extension ContextQueue {
    /// Throws if a snapshot or an event is left over from a turn that has ended.
    func checkInvariants() throws(BrokenInvariant) {
        try BrokenInvariant.require(
            isEntered || !holdsSnapshot.load(ordering: .relaxed),
            "A snapshot is open and no thread is inside \(name).")
        try BrokenInvariant.require(
            isEntered || type == .mainQueue || !endsEvent.load(ordering: .relaxed),
            "An event is under way and no thread is inside \(name).")
    }
}
