/// The time since something began; nothing if no tracer was attached then.
struct TraceSpan: BitwiseCopyable {
    private let startNanoseconds: UInt64

    /// Begins now.
    @inline(__always)
    init() {
        startNanoseconds =
            EventTracing.isOn.load(ordering: .relaxed) ? MonotonicTime.now.nanoseconds : 0
    }

    private init(startNanoseconds: UInt64) { self.startNanoseconds = startNanoseconds }

    /// Nothing, as without a tracer.
    static let none = TraceSpan(startNanoseconds: 0)

    /// Whether the end will be reported.
    var isOn: Bool {
        @inline(__always) get { startNanoseconds != 0 }
    }

    /// Reports what has ended now, or when the next began. The arguments are computed only if there is a tracer.
    /// A next without a beginning, since the tracer was detached before, counts as beginning now.
    @inline(__always)
    func end(
        _ kind: TraceEvent.Kind, on track: @autoclosure () -> TraceName = .none,
        _ name: @autoclosure () -> TraceName = .none, count: @autoclosure () -> Int = 0,
        identifier: UInt64 = 0, cause: UInt64 = 0, before next: TraceSpan? = nil
    ) {
        guard isOn else { return }
        report(kind, track(), name(), count(), identifier, cause, next)
    }

    @inline(never)
    private func report(
        _ kind: TraceEvent.Kind, _ track: TraceName, _ name: TraceName, _ count: Int,
        _ identifier: UInt64, _ cause: UInt64, _ next: TraceSpan?
    ) {
        let end =
            next.flatMap { $0.isOn ? $0.startNanoseconds : nil } ?? MonotonicTime.now.nanoseconds
        EventTracing.report(
            TraceEvent(
                kind, track: track, name: name, identifier: identifier, cause: cause, count: count,
                startNanoseconds: startNanoseconds, durationNanoseconds: end - startNanoseconds))
    }

    /// Reports something without duration.
    static func point(
        _ kind: TraceEvent.Kind, on track: TraceName = .none, _ name: TraceName = .none,
        count: Int = 0, identifier: UInt64 = 0
    ) {
        EventTracing.report(
            TraceEvent(
                kind, track: track, name: name, identifier: identifier, count: count,
                startNanoseconds: MonotonicTime.now.nanoseconds, durationNanoseconds: 0))
    }
}
