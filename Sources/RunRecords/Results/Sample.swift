import Measuring

/// One execution of a cell and everything that was measured in it.
public struct Sample: Codable, Hashable, Sendable {
    /// The round in which the sample was taken, from 0. Samples of one round are pairs. The number
    /// is given when the round is scheduled, never inferred from the order of samples.
    public var repetition: Int
    /// The place within the round, from 0.
    public var positionInRound: Int
    /// Seconds from the start of the run.
    public var startedAtSeconds: Double
    /// Values by ``Metric/name``, in the metric's unit.
    public var metrics: [String: Double]
    /// Exact counts by name.
    public var counters: [String: Int64]
    /// Latencies by name, for example "mainQueue". A load has "service", from the start of an
    /// operation, and "intended", from the time at which it was due. A name with a dot, such as
    /// "update.intended", is for one operation of the mix.
    public var latencies: [String: LatencySummary]
    /// Latencies over time by the same names; `nil` if none were recorded.
    public var timelines: [String: LatencyTimeline]?

    /// A sample without a round, or not placed in one yet, leaves out the first three.
    public init(
        repetition: Int = 0, positionInRound: Int = 0, startedAtSeconds: Double = 0,
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

    /// The value of a metric, in the metric's unit; setting `nil` removes it.
    public subscript(metric: Metric) -> Double? {
        get { value(of: metric.name) }
        set { metrics[metric.name] = newValue }
    }

    /// The value of a metric, of a counter, or of a latency's percentile in nanoseconds, written
    /// "mainQueue.p99" (p50, p99, p999, max). `nil` if the sample has none with that name.
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
        // `map(Double.init)` would select `init(bitPattern:)`.
        return nanoseconds.map { Double($0) }
    }

    /// Every name for which ``value(of:)`` returns a value.
    public var valueNames: Set<String> {
        Set(metrics.keys).union(counters.keys)
            .union(percentileNames.filter { value(of: $0) != nil })
    }

    /// The percentiles of its latencies, including those with too few values.
    var percentileNames: [String] {
        latencies.keys.flatMap { latency in
            ["p50", "p99", "p999", "max"].map { "\(latency).\($0)" }
        }
    }
}
