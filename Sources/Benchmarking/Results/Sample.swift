/// One execution of a cell and all that was measured in it.
public struct Sample: Codable, Hashable, Sendable {
    /// The round in which the sample was taken, from 0. Samples of one round are pairs: the number
    /// is given when the round is scheduled and never inferred from the order of samples.
    public var repetition: Int
    /// The place within the round, from 0.
    public var positionInRound: Int
    /// Seconds from the start of the run.
    public var startedAtSeconds: Double
    /// Values by ``Metric/name``, in the metric's unit.
    public var metrics: [String: Double]
    /// Exact counts by name.
    public var counters: [String: Int64]
    /// Latencies by name, for example "mainQueue". Of a load they are "service", from the moment at
    /// which an operation began, and "intended", from the one at which it was to begin; a name with
    /// a dot, such as "update.intended", is the part of one that an operation has.
    public var latencies: [String: LatencySummary]
    /// Latencies over time by the same names; nil where none were taken.
    public var timelines: [String: LatencyTimeline]?

    public init(
        repetition: Int, positionInRound: Int, startedAtSeconds: Double,
        metrics: [String: Double] = [:], counters: [String: Int64] = [:],
        latencies: [String: LatencySummary] = [:]
    ) {
        self.repetition = repetition
        self.positionInRound = positionInRound
        self.startedAtSeconds = startedAtSeconds
        self.metrics = metrics
        self.counters = counters
        self.latencies = latencies
    }

    /// The value of a metric, in the metric's unit; setting nil removes it.
    public subscript(metric: Metric) -> Double? {
        get { value(of: metric.name) }
        set { metrics[metric.name] = newValue }
    }

    /// The value of a metric, of a counter, or of a latency's percentile in nanoseconds, written
    /// "mainQueue.p99" (p50, p99, p999, max); nil when the sample has none of that name.
    public func value(of name: String) -> Double? {
        if let value = metrics[name] { return value }
        if let count = counters[name] { return Double(count) }
        guard let dot = name.lastIndex(of: "."), let latency = latencies[String(name[..<dot])]
        else { return nil }
        let nanoseconds: UInt64? =
            switch name[name.index(after: dot)...] {
            case "p50": latency.p50Nanoseconds
            case "p99": latency.p99Nanoseconds
            case "p999": latency.p999Nanoseconds
            case "max": latency.maxNanoseconds
            default: nil
            }
        // Not `map(Double.init)`: that finds `init(bitPattern:)`.
        return nanoseconds.map { Double($0) }
    }

    /// Every name that ``value(of:)`` answers with a value.
    public var valueNames: Set<String> {
        Set(metrics.keys).union(counters.keys)
            .union(percentileNames.filter { value(of: $0) != nil })
    }

    /// The percentiles of its latencies, also those for which there are too few.
    var percentileNames: [String] {
        latencies.keys.flatMap { latency in
            ["p50", "p99", "p999", "max"].map { "\(latency).\($0)" }
        }
    }
}
