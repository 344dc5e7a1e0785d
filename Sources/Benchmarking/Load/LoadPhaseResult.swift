/// What came of a phase of a load.
public struct LoadPhaseResult: Sendable {
    /// Less than this share of what was due, done in the time in which it was due, is saturation
    /// (measuring §6).
    private static let saturationShare = 0.98

    public let phase: LoadPhase
    /// On the monotonic clock; see ``Stopwatch/nanoseconds()``.
    public let startNanoseconds: UInt64
    /// From the start to the end of the last operation, and at least as long as operations were due.
    public let seconds: Double
    /// Operations a second that were due; nil in a closed phase.
    public let offeredPerSecond: Double?
    /// Operations that were due and had not begun when the phase gave up.
    public let unservedCount: Int
    /// From the moment at which an operation began, by its index in the mix.
    public let service: [LatencyRecorder]
    /// From the moment at which it was to begin; empty recorders in a closed phase. An operation that
    /// was given up counts with the time that it had waited.
    public let intended: [LatencyRecorder]
    /// Of the intended latencies; nil in a closed phase.
    public var timeline: LatencyTimeline?
    /// Of what was due on the main queue meanwhile; nil where nobody looked.
    public var mainQueue: LatencySummary?

    init(_ phase: LoadPhase, _ records: [LoadRecord]) {
        func merged(_ path: KeyPath<LoadRecord, [LatencyRecorder]>) -> [LatencyRecorder] {
            records[0][keyPath: path].indices.map { operation in
                records.reduce(into: LatencyRecorder()) {
                    $0.merge($1[keyPath: path][operation])
                }
            }
        }
        self.phase = phase
        startNanoseconds = records[0].startNanoseconds
        service = merged(\.service)
        intended = merged(\.intended)
        unservedCount = records.reduce(0) { $0 + $1.unservedCount }
        let timelines = records.compactMap(\.timeline)
        timeline = timelines.first.map { first in
            timelines.dropFirst().reduce(into: first) { $0.merge($1) }.timeline
        }
        let dueSeconds = records.map(\.dueSeconds).max() ?? 0
        let dueCount = records.reduce(0) { $0 + $1.dueCount }
        seconds = max(records.map(\.seconds).max() ?? 0, dueSeconds)
        offeredPerSecond = dueSeconds > 0 ? Double(dueCount) / dueSeconds : nil
    }

    /// Operations that were done.
    public var operationCount: UInt64 { service.reduce(0) { $0 + $1.count } }

    public var operationsPerSecond: Double {
        seconds > 0 ? Double(operationCount) / seconds : 0
    }

    /// Whether less was done than was due. Then a queue grew, and intended latencies tell how long
    /// the phase was rather than how fast the subject is.
    public var isSaturated: Bool {
        guard let offeredPerSecond else { return false }
        return operationsPerSecond < offeredPerSecond * Self.saturationShare
    }
}
