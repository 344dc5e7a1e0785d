import ObjectGraph
import Synchronization
import Tracing

/// Makes spans of what the engine does, in the tracer that a server uses already.
///
/// Attach one with `EventTracing.attach` after the start of `InstrumentationSystem`. A block that is
/// handed to a context with `perform` or `performAndWait` is a child of the span that was current
/// there; what the block did, such as fetches, saves, waits and statements, are spans inside it. They
/// are made when the outermost block has ended, with the times at which they began and ended.
///
/// Spans have the names of entities and the SQL, and no values. Cost while attached: a lock for each
/// event, and what the tracer needs for a span.
public final class SpanTracer: EventTracer {
    /// How many events a block keeps until it ends; its span says how many were dropped.
    public static let maximumEventCount = 10_000

    /// Nil for the one of `InstrumentationSystem`.
    private let tracer: (any Tracer)?
    private let shortestNanoseconds: UInt64
    private let state = Mutex(State())

    private struct State {
        /// Of threads by their identity: events that have ended inside others that have not.
        var pending: [UInt: PendingSpans] = [:]
        /// Where blocks were handed over that have not ended yet, by the event that says so.
        var origins: [UInt64: ServiceContext] = [:]
    }

    /// - Parameters:
    ///   - tracer: Nil is the tracer of `InstrumentationSystem`.
    ///   - shortest: Shorter events, and what is inside them, are left out.
    public init(_ tracer: (any Tracer)? = nil, shortest: Duration = .zero) {
        self.tracer = tracer
        let (seconds, attoseconds) = shortest.components
        shortestNanoseconds = UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }

    public func record(_ event: TraceEvent) {
        if event.kind == .enqueue { return keepOrigin(of: event) }
        let thread = CurrentThread.identity
        let isOutermost = !EventTracing.isInBlock && event.kind.standsAlone
        let (ended, origin) = state.withLock { state -> (PendingSpans?, ServiceContext?) in
            state.pending[thread, default: PendingSpans()].add(event, shortestNanoseconds)
            guard isOutermost else { return (nil, nil) }
            return (
                state.pending.removeValue(forKey: thread),
                state.origins.removeValue(forKey: event.cause)
            )
        }
        guard let ended else { return }
        let writer = SpanWriter(droppedCount: ended.droppedCount)
        let context = origin ?? ServiceContext.current ?? .topLevel
        let tracer = tracer ?? InstrumentationSystem.tracer
        for tree in ended.trees { writer.write(tree, in: context, to: tracer) }
    }

    private func keepOrigin(of event: TraceEvent) {
        guard let current = ServiceContext.current else { return }
        state.withLock { $0.origins[event.identifier] = current }
    }
}

/// The events of a thread, each with those inside it, until the outermost block ends.
struct PendingSpans {
    struct Tree {
        let event: TraceEvent
        /// In the order of their ends.
        var inner: ArraySlice<Tree> = []
    }

    private(set) var trees: [Tree] = []
    private(set) var droppedCount = 0
    private var count = 0

    /// Adds an event that has ended, around those that began after it.
    mutating func add(_ event: TraceEvent, _ shortestNanoseconds: UInt64) {
        let first =
            trees.lastIndex { $0.event.startNanoseconds < event.startNanoseconds }.map { $0 + 1 }
            ?? 0
        let inner = trees[first...]
        trees.removeSubrange(first...)
        guard event.durationNanoseconds >= shortestNanoseconds else { return }
        guard count < SpanTracer.maximumEventCount || !inner.isEmpty else {
            droppedCount += 1
            return
        }
        count += 1
        trees.append(Tree(event: event, inner: inner))
    }
}
