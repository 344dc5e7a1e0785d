/// What a workload asks of its cells: which of those that differ in one thing has the better value of a metric.
public struct Question: Codable, Hashable, Sendable {
    /// Names the question within its workload, for example "main-queue".
    public var id: String
    /// The question as a person asks it: "Does a batch size pay?"
    public var sentence: String
    /// What the compared cells differ in: `subject`, `lockPolicy` or the name of a parameter.
    public var axis: String
    public var metric: Metric
    /// The difference that nobody would act on, as a share: 0.1 is 10 %. Above ``SequentialDesign/smallestDifference``.
    public var sameWithin: Double
    /// In the metric's unit: what is less counts as this, since nobody would tell it apart. Nil for metrics of which every
    /// difference counts.
    public var sameBelow: Double?
    /// The heading of its column in the table of stacks; nil for a question about a technique.
    public var column: String?
    /// One for each combination of the other parameters.
    public var contests: [Contest]

    public init(
        id: String, sentence: String, axis: String, metric: Metric, sameWithin: Double,
        sameBelow: Double? = nil, column: String? = nil, contests: [Contest]
    ) {
        self.id = id
        self.sentence = sentence
        self.axis = axis
        self.metric = metric
        self.sameWithin = sameWithin
        self.sameBelow = sameBelow
        self.column = column
        self.contests = contests
    }

    /// Whether the metric is counted and not measured, so that one counting pass decides the question.
    public var isExact: Bool {
        if case .exact = metric.repeatability { true } else { false }
    }

    /// The comparisons over which the error is spread: all pairs of a contest, since its best cell is not known before
    /// it is measured, or all cells against a baseline. 0 for exact counts, which cannot err.
    public var comparisonCount: Int {
        isExact ? 0 : contests.map(\.comparisonCount).reduce(0, +)
    }
}

/// Cells that differ in the axis of a question and in nothing else.
public struct Contest: Codable, Hashable, Sendable {
    /// The other parameters' values, as "extent first-page"; empty where there is one contest.
    public var label: String
    /// ``CellResult/identifier`` of each, two or more, in the order of the axis.
    public var cells: [String]
    /// The value of the axis that each cell has, in the same order: "shared", "20".
    public var values: [String]
    /// The cell that all others are compared with; nil to compare each with the best.
    public var baseline: String?

    public init(label: String, cells: [String], values: [String], baseline: String? = nil) {
        self.label = label
        self.cells = cells
        self.values = values
        self.baseline = baseline
    }

    var comparisonCount: Int {
        baseline == nil ? cells.count * (cells.count - 1) / 2 : cells.count - 1
    }
}
