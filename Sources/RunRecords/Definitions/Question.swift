import Measuring

/// What a workload asks about cells that differ in one thing: which has the better value of a
/// metric?
public struct Question: Codable, Hashable, Sendable {
    /// The question's name within its workload, for example "main-queue".
    public var id: String
    /// The question as a person asks it: "Does a batch size pay?"
    public var sentence: String
    /// The thing in which the cells differ: `subject`, `lockPolicy` or the name of a parameter.
    public var axis: String
    public var metric: Metric
    /// The largest difference that does not matter, as a share: 0.1 is 10 %. Above
    /// ``SequentialDesign/smallestDifference``.
    public var sameWithin: Double
    /// Smaller values count as this one, in the metric's unit, because nobody would notice the
    /// difference. `nil` if every difference matters.
    public var sameBelow: Double?
    /// The heading of its column in the table of stacks; `nil` for a question about a technique.
    public var column: String?
    /// Whether the first screen has a sentence for each contest, named by its label, and the most
    /// expensive one first. Questions of a workload that have the same labels share the sentences,
    /// and those with the same sentence, which can be answered by yes or no, share the answer.
    public var isListed: Bool?
    /// Whether threads contend in the workload, so that every count depends on the schedule.
    public var isContended: Bool?
    /// One for each combination of the other parameters.
    public var contests: [Contest]

    public init(
        id: String, sentence: String, axis: String, metric: Metric, sameWithin: Double,
        sameBelow: Double? = nil, column: String? = nil, isContended: Bool? = nil,
        contests: [Contest]
    ) {
        self.id = id
        self.sentence = sentence
        self.axis = axis
        self.metric = metric
        self.sameWithin = sameWithin
        self.sameBelow = sameBelow
        self.column = column
        self.isContended = isContended
        self.contests = contests
    }

    /// Whether the metric is counted, not measured. One counting pass then decides the question.
    public var isExact: Bool {
        guard isContended != true, case .exact = metric.repeatability else { return false }
        return true
    }

    /// Whether the values of a cell lie so close together that ``boundedRoundCount`` rounds decide,
    /// or none.
    public var isBounded: Bool { metric.repeatability == .bounded }

    public static let boundedRoundCount = 3

    /// The contests that share the error of a run: none for exact counts and bounded metrics, which
    /// are judged without one.
    public var contestsWithError: [Contest] { isExact || isBounded ? [] : contests }
}

/// Cells that differ only in the axis of a question.
public struct Contest: Codable, Hashable, Sendable {
    /// The values of the other parameters, as "extent first-page"; empty if there is only one
    /// contest.
    public var label: String
    /// The ``CellResult/identifier`` of each cell, two or more, in the order of the axis.
    public var cells: [String]
    /// Each cell's value on the axis, in the same order: "shared", "20".
    public var values: [String]
    /// The cell with which all others are compared; `nil` to compare each one with the best.
    public var baseline: String?

    public init(label: String, cells: [String], values: [String], baseline: String? = nil) {
        self.label = label
        self.cells = cells
        self.values = values
        self.baseline = baseline
    }
}
