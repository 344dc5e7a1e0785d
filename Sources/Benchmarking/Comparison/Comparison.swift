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
    /// Head / base: the median of the pairs' ratios, where there are pairs. Nil without values, and
    /// where the base is 0.
    public var ratio: Double?
    /// The interval of `ratio`; nil for exact rows, and where there are too few values.
    public var interval: MedianInterval?
    /// The chance of a difference like that, in its direction, from identical code: the lesser of
    /// the sign test's and the signed-rank test's. Nil for exact rows.
    public var pValue: Double?
    /// The smallest change, as a share, that would have been found in 95 % of such runs; the
    /// tolerance of an exact row; nil when not even a doubling would.
    public var minimumDetectableEffect: Double?
    /// The pairs of the first look and those added to it, in the order of blocks.
    public var pairs: [PairedSamples.Pair]
    /// The fresh pairs that were to confirm a finding; empty where there was none.
    public var confirmation: [PairedSamples.Pair]
    /// Why the verdict is `inconclusive`; nil otherwise.
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
