import Measuring

/// Everything that ``ThresholdCheck`` found.
public struct ThresholdReport: Hashable, Sendable {
    /// One for each rule and each cell that it matched.
    public var verdicts: [ThresholdVerdict]
    /// Cells that failed or gave a wrong answer, even if no rule matches them.
    public var unsoundCells: [UnsoundCell]

    /// The gravest finding: a wrong answer, a crash, a crossed threshold, a rule that cannot be
    /// judged, or success.
    public var exitCode: ExitCode {
        if unsoundCells.contains(where: \.isWrongAnswer) { return .wrongAnswer }
        if !unsoundCells.isEmpty { return .crash }
        if verdicts.contains(where: \.isCrossed) { return .thresholdCrossed }
        if verdicts.contains(where: \.isOpen) { return .inconclusive }
        return .success
    }
}

/// The result of one rule for one cell.
public struct ThresholdVerdict: Hashable, Sendable {
    public var rule: ThresholdRule
    public var workload: String
    /// ``CellResult/identifier``.
    public var cell: String
    /// The measured metric, with its unit.
    public var metric: Metric
    public var outcome: Outcome
    /// The interval of a measured median, which decides the outcome. `nil` for counts, for other
    /// statistics and for a single round.
    public var interval: MedianInterval?

    /// Within the bound, beyond it, or unknown.
    public enum Outcome: Hashable, Sendable {
        case held(Double)
        case crossed(Double)
        case cannotJudge(reason: String)
    }

    public var isCrossed: Bool {
        if case .crossed = outcome { true } else { false }
    }

    /// Whether the rule cannot be judged.
    public var isOpen: Bool {
        if case .cannotJudge = outcome { true } else { false }
    }
}

/// A rule that would never be judged or could never fail.
public enum ThresholdError: Error, Hashable {
    case unknownWorkload(ThresholdRule, known: [String])
    case matchesNothing(ThresholdRule, known: [String])
    case unknownMetric(ThresholdRule, known: [String])
    case unknownSubject(ThresholdRule, known: [String])
    /// The workload has only one value of the parameter, so that it distinguishes no cells.
    case fixedParameter(ThresholdRule, String, known: [String])
    case unknownValue(ThresholdRule, String, known: [String])
    case comparesWithItself(ThresholdRule)
}
