import Measuring

/// One rule of a threshold file: what must hold for which cells.
public struct ThresholdRule: Codable, Hashable, Sendable {
    /// Globs on ``WorkloadResult/name`` and on ``CellResult/identifier``.
    public var workload: Glob
    public var cell: Glob
    /// A glob on the names of metrics, counters, percentiles ("mainQueue.p99") and latencies
    /// ("mainQueue").
    public var metric: String
    public var statistic: Statistic
    public var bound: Bound
    /// The cell that divides: each sample is divided by its sample of the same round. `nil` to use
    /// the values themselves.
    public var relativeTo: Reference?
    /// Why the rule exists, for those who cross it.
    public var reason: String

    /// Which number of a cell's samples is compared with the bound. For a latency, it is taken from
    /// the latencies of all samples together.
    ///
    /// The median of a measured metric is judged by its interval, and so is that of a count of threads
    /// in contention. Other counts, the other statistics and the numbers of a latency are judged as
    /// this run found them. A count that must be exactly so must be it in every sample.
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
        bound: Bound, relativeTo: Reference? = nil, reason: String = ""
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

extension ThresholdRule {
    /// How the cell that a rule divides by differs from the cell that it judges: in the subject, in
    /// the values of some parameters, or in both.
    public struct Reference: Hashable, Sendable, ExpressibleByStringLiteral {
        /// `nil` for the cell's own subject.
        public var subject: String?
        /// For all other parameters, the cell's own values.
        public var parameters: [String: String]

        public init(subject: String? = nil, parameters: [String: String] = [:]) {
            self.subject = subject
            self.parameters = parameters
        }

        public init(stringLiteral subject: String) {
            self.init(subject: subject)
        }
    }
}

extension ThresholdRule.Reference: Codable {
    private enum CodingKeys: CodingKey {
        case subject, parameters
    }

    /// Older versions wrote the subject's name alone.
    public init(from decoder: any Decoder) throws {
        if let subject = try? decoder.singleValueContainer().decode(String.self) {
            self.init(subject: subject)
        } else {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                subject: try container.decodeIfPresent(String.self, forKey: .subject),
                parameters: try container.decode([String: String].self, forKey: .parameters))
        }
    }
}

extension ThresholdRule.Bound {
    /// Whether the whole interval is within the limit (`true`) or no part of it is (`false`); `nil`
    /// if it contains values on both sides.
    public func holds(_ interval: MedianInterval) -> Bool? {
        let lower = interval.lower
        let upper = interval.upper
        switch self {
        case .atMost(let limit): return upper <= limit ? true : lower > limit ? false : nil
        case .atLeast(let limit): return lower >= limit ? true : upper < limit ? false : nil
        case .exactly(let limit):
            guard lower <= limit, limit <= upper else { return false }
            return lower == upper ? true : nil
        }
    }

    /// Whether the value is within the limit.
    public func holds(_ value: Double) -> Bool {
        switch self {
        case .atMost(let limit): value <= limit
        case .atLeast(let limit): value >= limit
        case .exactly(let limit): value == limit
        }
    }
}
