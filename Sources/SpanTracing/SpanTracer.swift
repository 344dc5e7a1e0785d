import ObjectGraph
import Synchronization
import Tracing

/// Makes spans of what the engine does, in the tracer that a server uses already.
///
/// Attach one with `EventTracing.attach`. A block that is handed to a private context with `perform`
/// or `performAndWait` is a child of the span that was current there. If none was, as inside another
/// block, it begins a trace of its own. What the block did, such as fetches, saves, waits and
/// statements, are spans inside it. They are made when the outermost block of the thread has ended,
/// with the times at which they began and ended. An event outside of blocks is a span if a context of
/// the service is current on its thread, and is left out otherwise.
///
/// Spans have the names of entities and the SQL, and no values. Cost while attached: a lock for each
/// event, and what the tracer needs for a span.
public final class SpanTracer: EventTracer {
    /// How many events a block keeps until it ends; the block's span says how many were dropped.
    public static let maximumEventCount = 10_000

    /// Nil for the one of `InstrumentationSystem`.
    private let tracer: (any Tracer)?
    private let shortest: Duration
    private let state = Mutex(State())

    private struct State {
        /// The events inside of blocks that run, by the identity of their thread.
        var pending: [UInt: PendingEvents] = [:]
        /// The service's context where a block was handed over, by the event of that, until the block
        /// has ended.
        var origins: [UInt64: ServiceContext] = [:]
    }

    /// - Parameters:
    ///   - tracer: Nil is the tracer of `InstrumentationSystem`.
    ///   - shortest: Shorter events are left out.
    public init(_ tracer: (any Tracer)? = nil, shortest: Duration = .zero) {
        self.tracer = tracer
        self.shortest = shortest
    }

    public func record(_ event: TraceEvent) {
        let current = ServiceContext.current
        if event.kind == .enqueue {
            guard let current else { return }
            return state.withLock { $0.origins[event.identifier] = current }
        }
        let isShort = Duration.nanoseconds(Int64(clamping: event.durationNanoseconds)) < shortest
        if EventTracing.isInBlock {
            guard !isShort else { return }
            let thread = CurrentThread.identity
            state.withLock { $0.pending[thread, default: PendingEvents()].add(event) }
        } else if event.kind == .block {
            let (pending, origin) = takeBlock(event)
            guard !isShort else { return }
            write(event, around: pending, in: origin ?? current ?? .topLevel)
        } else if let current, !isShort {
            write(event, around: PendingEvents(), in: current)
        }
    }

    private func takeBlock(_ block: TraceEvent) -> (PendingEvents, ServiceContext?) {
        let thread = CurrentThread.identity
        return state.withLock { state in
            (
                state.pending.removeValue(forKey: thread) ?? PendingEvents(),
                state.origins.removeValue(forKey: block.cause)
            )
        }
    }

    private func write(
        _ event: TraceEvent, around pending: PendingEvents, in context: ServiceContext
    ) {
        let tracer = tracer ?? InstrumentationSystem.tracer
        SpanWriter().write(event, around: pending, in: context, to: tracer)
    }
}

/// The events inside of a block that runs, in the order of their ends.
struct PendingEvents {
    private(set) var events: [TraceEvent] = []
    private(set) var droppedCount = 0

    mutating func add(_ event: TraceEvent) {
        // One that is around others counts for more than they do.
        let isKept =
            events.count < SpanTracer.maximumEventCount
            || event.startNanoseconds <= events[events.count - 1].startNanoseconds
        if isKept { events.append(event) } else { droppedCount += 1 }
    }
}
