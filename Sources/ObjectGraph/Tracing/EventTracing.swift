import Synchronization

/// Receives what the engine does and what it waits for.
///
/// The engine reports an event when it has ended, on the thread that did the work. That thread may
/// hold locks of the engine: a tracer returns soon and does not use the engine. Events of one thread
/// are nested or follow each other; the event around others comes after them.
public protocol EventTracer: AnyObject, Sendable {
    /// May be called on any thread, by several at the same time.
    func record(_ event: TraceEvent)
}

/// The tracers of this process. Without one an event costs a comparison and nothing is allocated.
public enum EventTracing {
    /// Reports the events of all coordinators and contexts to a tracer from now on, beside those that
    /// are attached already. An event that has begun before is not reported.
    ///
    /// A tracer stays alive until the process ends, because a thread may be about to call it.
    public static func attach(_ tracer: some EventTracer) { change { $0.append(tracer) } }

    /// Ends the reporting to a tracer. A thread that is about to report an event may still do so.
    public static func detach(_ tracer: some EventTracer) {
        change { tracers in tracers.removeAll { $0 === tracer } }
    }

    /// Reports an event that the engine does not see, such as those of a file system of your own, to
    /// all tracers.
    public static func report(_ event: TraceEvent) {
        guard isOn.load(ordering: .acquiring),
            let receivers = UnsafeRawPointer(bitPattern: receivers.load(ordering: .acquiring))
        else { return }
        // Right to use: receivers are never released.
        Unmanaged<Receivers>.fromOpaque(receivers)._withUnsafeGuaranteedRef {
            $0.first?.record(event)
            for tracer in $0.others { tracer.record(event) }
        }
    }

    /// Whether the calling thread runs a block on a context's queue that began with a tracer. If not,
    /// an event that ends now has no block around it.
    package static var isInBlock: Bool { openBlocks.address != nil }

    static func enterBlock() { openBlocks.address = UnsafeMutableRawPointer(bitPattern: depth + 1) }

    static func leaveBlock() { openBlocks.address = UnsafeMutableRawPointer(bitPattern: depth - 1) }

    /// How many blocks the thread runs, each inside the one before.
    private static var depth: Int { Int(bitPattern: openBlocks.address) }

    private static let openBlocks = ThreadSlot()

    /// Whether there is a tracer.
    package static var isAttached: Bool { isOn.load(ordering: .relaxed) }

    static let isOn = Atomic<Bool>(false)

    private static let tracers = Mutex<[any EventTracer]>([])

    /// The address of the latest receivers; 0 before the first.
    private static let receivers = Atomic<UInt>(0)

    /// What threads call without a lock.
    private final class Receivers: Sendable {
        // Apart, since most programs have one, and a loop would count references to it.
        let first: (any EventTracer)?
        let others: ArraySlice<any EventTracer>

        init(_ tracers: [any EventTracer]) {
            first = tracers.first
            others = tracers.dropFirst()
        }
    }

    private static func change(_ body: (inout [any EventTracer]) -> Void) {
        tracers.withLock { tracers in
            body(&tracers)
            let pointer = Unmanaged.passRetained(Receivers(tracers)).toOpaque()
            receivers.store(UInt(bitPattern: pointer), ordering: .releasing)
            isOn.store(!tracers.isEmpty, ordering: .releasing)
        }
    }

    /// A number that no other event of the process has.
    static func makeIdentifier() -> UInt64 { identifiers.add(1, ordering: .relaxed).newValue }

    private static let identifiers = Atomic<UInt64>(0)
}
