/// One line of a threshold file: what must hold of which cells.
public struct ThresholdRule: Codable, Hashable, Sendable {
    /// Globs on ``WorkloadResult/name`` and on ``CellResult/identifier``.
    public var workload: Glob
    public var cell: Glob
    /// A glob on the names of metrics, counters, percentiles ("mainQueue.p99") and latencies
    /// ("mainQueue").
    public var metric: String
    public var statistic: Statistic
    public var bound: Bound
    /// The subject by whose sample of the same round and parameters each sample is divided; nil for
    /// the values themselves.
    public var relativeTo: String?
    /// Why the rule is there, for whoever crosses it.
    public var reason: String

    /// Which number of a cell's samples is held against the bound. Of a latency, the number is
    /// taken from the latencies of all samples together.
    public enum Statistic: String, Codable, Sendable, CaseIterable {
        case median, max, min, p99
    }

    /// The limit; values are in the metric's unit, or ratios with `relativeTo`.
    public enum Bound: Codable, Hashable, Sendable {
        case atMost(Double)
        case atLeast(Double)
        case exactly(Double)
    }

    public init(
        workload: Glob = "*", cell: Glob = "*", metric: String, statistic: Statistic = .median,
        bound: Bound, relativeTo: String? = nil, reason: String = ""
    ) {
        self.workload = workload
        self.cell = cell
        self.metric = metric
        self.statistic = statistic
        self.bound = bound
        self.relativeTo = relativeTo
        self.reason = reason
    }
}

extension ThresholdRule.Bound {
    /// Whether the value is within the limit.
    public func holds(_ value: Double) -> Bool {
        switch self {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        case .exactly(let limit): value == limit
        }
    }
}
