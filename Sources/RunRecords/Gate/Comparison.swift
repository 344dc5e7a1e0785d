import Measuring

/// One row of a comparison: a metric of a cell in the base and in the head, and the verdict.
public struct Comparison: Codable, Hashable, Sendable {
    /// ``WorkloadResult/name``.
    public var workload: String
    /// ``CellResult/identifier``.
    public var cell: String
    public var metric: Metric
    public var rule: ComparisonRule
    public var verdict: Verdict
    /// The medians of the two arms, in the metric's unit.
    public var base: Double?
    public var head: Double?
    /// Head / base; with pairs, the median of their ratios. `nil` without values or if the base is
    /// 0.
    public var ratio: Double?
    /// The interval of `ratio`; `nil` for exact rows and with too few values.
    public var interval: MedianInterval?
    /// The probability that identical code differs at least this much in this direction: the
    /// smaller p value of the sign test and the signed-rank test, each divided by its share of the
    /// error. `nil` for exact rows.
    public var pValue: Double?
    /// The smallest change, as a share, that 95 % of such runs would find; `nil` if not even a
    /// tenfold time would be found. For an exact row it is the tolerance.
    public var minimumDetectableEffect: Double?
    /// The pairs of the first look and those added to it, in block order.
    public var pairs: [PairedSamples.Pair]
    /// The fresh pairs that were taken to confirm a finding; empty without one.
    public var confirmation: [PairedSamples.Pair]
    /// Why the verdict is `inconclusive`; if it is `regressed`, what grew most in the cell, if that
    /// is known; `nil` otherwise.
    public var reason: String?

    public init(
        workload: String, cell: String, metric: Metric, rule: ComparisonRule, verdict: Verdict,
        base: Double? = nil, head: Double? = nil, ratio: Double? = nil,
        interval: MedianInterval? = nil, pValue: Double? = nil,
        minimumDetectableEffect: Double? = nil, pairs: [PairedSamples.Pair] = [],
        confirmation: [PairedSamples.Pair] = [], reason: String? = nil
    ) {
        self.workload = workload
        self.cell = cell
        self.metric = metric
        self.rule = rule
        self.verdict = verdict
        self.base = base
        self.head = head
        self.ratio = ratio
        self.interval = interval
        self.pValue = pValue
        self.minimumDetectableEffect = minimumDetectableEffect
        self.pairs = pairs
        self.confirmation = confirmation
        self.reason = reason
    }
}
