import Measuring

extension Run {
    /// The result of the threshold rules of its workloads. `nil` if there are none, if the run is
    /// not complete, or if a cell is unsound.
    public var ruleReport: ThresholdReport? {
        guard !thresholds.isEmpty, state == .completed, unsoundCells.isEmpty else { return nil }
        return ThresholdCheck.evaluateRules(of: self)
    }

    /// The gravest event: a wrong answer, a crash, an interruption, a rule that did not hold, or
    /// none.
    public var exitCode: ExitCode {
        if unsoundCells.contains(where: \.isWrongAnswer) { return .wrongAnswer }
        if !unsoundCells.isEmpty { return .crash }
        if state != .completed { return .interrupted }
        return ruleReport?.exitCode ?? .success
    }
}
