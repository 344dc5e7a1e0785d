/// The results of a phase of a load.
public struct LoadPhaseResult: Sendable {
    /// A phase is saturated if less than this share of the due operations was done in the time in
    /// which they were due (measuring §6).
    private static let saturationShare = 0.98

    public let phase: LoadPhase
    /// On the monotonic clock; see ``Stopwatch/nanoseconds()``.
    public let startNanoseconds: UInt64
    /// From the start to the end of the last operation, and at least as long as operations were
    /// due.
    public let seconds: Double
    /// How many operations a second were due; `nil` in a closed phase.
    public let offeredPerSecond: Double?
    /// Operations that were due but had not begun when the phase gave up.
    public let unservedCount: Int
    /// Latencies from the start of each operation, by its index in the mix.
    public let service: [LatencyRecorder]
    /// Latencies from the due time; empty recorders in a closed phase. An operation that was given
    /// up counts with the time that it waited.
    public let intended: [LatencyRecorder]
    /// The intended latencies over time; `nil` in a closed phase.
    public var timeline: LatencyTimeline?
    /// Latencies of blocks on the main queue during the phase; `nil` if they were not measured.
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

    /// How many operations were done.
    public var operationCount: UInt64 { service.reduce(0) { $0 + $1.count } }

    public var operationsPerSecond: Double {
        seconds > 0 ? Double(operationCount) / seconds : 0
    }

    /// Whether less was done than was due. A queue grew then, and intended latencies depend on the
    /// length of the phase rather than on the subject's speed.
    public var isSaturated: Bool {
        guard let offeredPerSecond else { return false }
        return operationsPerSecond < offeredPerSecond * Self.saturationShare
    }
}
