import Synchronization

/// Receives what the engine does and what it waits for.
///
/// The engine reports an event when it has ended, on the thread that did the work. That thread may
/// hold locks of the engine: a tracer returns soon and does not use the engine. Events of one thread
/// are nested or follow each other; the event around others comes after them.
public protocol Tracer: AnyObject, Sendable {
    /// May be called on any thread, by several at the same time.
    func record(_ event: TraceEvent)
}

/// The tracer of this process. Without one an event costs a comparison and nothing is allocated.
public enum Tracing {
    /// Reports the events of all coordinators and contexts to a tracer from now on, until another is
    /// attached or `detach()` is called. An event that has begun before is not reported.
    ///
    /// A tracer stays alive until the process ends, because a thread may be about to call it.
    public static func attach(_ tracer: some Tracer) {
        current.withLock { $0 = tracer }
        let pointer = Unmanaged.passRetained(Receiver(tracer)).toOpaque()
        receiver.store(UInt(bitPattern: pointer), ordering: .releasing)
        isOn.store(true, ordering: .releasing)
    }

    /// Ends the reporting. A thread that is about to report an event may still do so.
    public static func detach() {
        isOn.store(false, ordering: .releasing)
        current.withLock { $0 = nil }
    }

    /// The tracer that is attached; nil if there is none.
    public static var tracer: (any Tracer)? { current.withLock { $0 } }

    /// Whether events are reported.
    static let isOn = Atomic<Bool>(false)

    private static let current = Mutex<(any Tracer)?>(nil)
    /// The address of a receiver; 0 before the first.
    private static let receiver = Atomic<UInt>(0)

    /// Makes one pointer of a reference and its conformance.
    private final class Receiver: Sendable {
        let tracer: any Tracer
        init(_ tracer: any Tracer) { self.tracer = tracer }
    }

    static func report(_ event: TraceEvent) {
        guard isOn.load(ordering: .acquiring),
            let receiver = UnsafeRawPointer(bitPattern: receiver.load(ordering: .acquiring))
        else { return }
        // Right to use: a receiver is never released.
        Unmanaged<Receiver>.fromOpaque(receiver)._withUnsafeGuaranteedRef {
            $0.tracer.record(event)
        }
    }

    /// A number that no other event of the process has.
    static func makeIdentifier() -> UInt64 { identifiers.add(1, ordering: .relaxed).newValue }

    private static let identifiers = Atomic<UInt64>(0)
}
