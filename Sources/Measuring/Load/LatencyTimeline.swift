/// Latencies over time: a coarse histogram for each interval of a phase, and marks for events.
///
/// The percentiles of a phase say that some operations were slow. The timeline says when, and next
/// to which checkpoint or merge.
public struct LatencyTimeline: Codable, Hashable, Sendable {
    /// The length of an interval.
    public var intervalSeconds: Double
    /// The latencies that ended in each interval, from the start of the phase; empty if none did.
    /// The highest value of a bucket is at most 12 % above its others.
    public var intervals: [LatencyBuckets]
    /// In the order of their time.
    public var marks: [Mark]

    /// Something that happened during the phase, for example a "merge" or a "checkpoint".
    public struct Mark: Codable, Hashable, Sendable {
        public var name: String
        /// From the start of the phase.
        public var seconds: Double

        public init(name: String, seconds: Double) {
            self.name = name
            self.seconds = seconds
        }
    }

    public init(intervalSeconds: Double, intervals: [LatencyBuckets], marks: [Mark] = []) {
        self.intervalSeconds = intervalSeconds
        self.intervals = intervals
        self.marks = marks
    }
}

/// Collects a ``LatencyTimeline``. Give each thread its own recorder and merge them.
public struct LatencyTimelineRecorder: Sendable {
    private let startNanoseconds: UInt64
    private let intervalNanoseconds: UInt64
    private var intervals: [LogLinearHistogram] = []

    /// - Precondition: the interval is not 0.
    public init(startNanoseconds: UInt64, intervalNanoseconds: UInt64) {
        precondition(intervalNanoseconds > 0, "a timeline needs an interval above 0 ns")
        self.startNanoseconds = startNanoseconds
        self.intervalNanoseconds = intervalNanoseconds
    }

    /// Records a latency in the interval in which it ended. One that ended before the start counts
    /// in the first interval.
    public mutating func record(nanoseconds: UInt64, completedAt: UInt64) {
        let elapsed = completedAt > startNanoseconds ? completedAt - startNanoseconds : 0
        let index = Int(elapsed / intervalNanoseconds)
        grow(toHold: index)
        intervals[index].record(nanoseconds)
    }

    /// - Precondition: both have the same start and interval.
    public mutating func merge(_ other: LatencyTimelineRecorder) {
        precondition(
            startNanoseconds == other.startNanoseconds
                && intervalNanoseconds == other.intervalNanoseconds, "different timelines")
        grow(toHold: other.intervals.count - 1)
        for index in other.intervals.indices { intervals[index].add(other.intervals[index]) }
    }

    public var timeline: LatencyTimeline {
        LatencyTimeline(
            intervalSeconds: Double(intervalNanoseconds) / 1e9,
            intervals: intervals.map(LatencyBuckets.init))
    }

    private mutating func grow(toHold index: Int) {
        while intervals.count <= index { intervals.append(LogLinearHistogram(precisionBits: 3)) }
    }
}
