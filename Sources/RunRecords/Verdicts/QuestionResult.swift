import Foundation
import Measuring

/// A question with its answers so far.
public struct QuestionResult: Sendable {
    public let workload: WorkloadResult
    public let question: Question
    /// In the order of ``Question/contests``.
    public let contests: [ContestResult]

    /// Whether every comparison is decided.
    public var isDecided: Bool { contests.allSatisfy(\.isDecided) }

    /// The question with one of its contests.
    public func only(_ place: Int) -> QuestionResult {
        QuestionResult(workload: workload, question: question, contests: [contests[place]])
    }
}

/// A contest with its result so far.
public struct ContestResult: Sendable {
    public let contest: Contest
    /// The cells of ``contest``, in its order.
    public let cells: [CellResult]
    /// The cell with which the others are compared: the baseline, or the one with the best median.
    /// `nil` if no cell has a value.
    public let reference: CellResult?
    /// One for each cell but the reference, in the order of ``cells``. A cell is compared with the
    /// reference. Without a baseline, one that is undecided beside the reference and known to be
    /// worse than others is compared with the best of those, so it is decided: it is not the best.
    public let findings: [Finding]
    /// The cells that are not known to be worse than another one, best median first. Empty if the
    /// metric has no better direction.
    public let best: [String]
    /// For each cell that is known to be worse than another one, how it compares with the best of
    /// those. Unlike ``findings`` they do not depend on the baseline.
    let shortfalls: [Finding]
    /// How the other cells of ``best`` compare with its first one.
    public let contenders: [Finding]

    public var isDecided: Bool {
        reference != nil && findings.allSatisfy(\.verdict.isDecided)
    }

    /// Everything that sentences rest on: ``findings``, and how a cell compares with the best cell
    /// that is better, where no finding is about these two.
    public var comparisons: [Finding] {
        findings
            + shortfalls.filter { shortfall in
                !findings.contains {
                    Set([$0.cell, $0.reference]) == [shortfall.cell, shortfall.reference]
                }
            }
    }

    /// Whether the first cell of ``best`` is known to be as good as any other.
    public var hasLeader: Bool { !best.isEmpty && contenders.allSatisfy(\.verdict.isDecided) }

    public func finding(of cell: String) -> Finding? { findings.first { $0.cell == cell } }

    /// How the cell compares with the best cell that is better; `nil` if none is known to be.
    public func shortfall(of cell: String) -> Finding? { shortfalls.first { $0.cell == cell } }

    /// The pairs that more rounds can decide.
    public var openPairs: [(cell: CellResult, reference: CellResult)] {
        guard let reference = reference ?? cells.first(where: \.isSound), reference.isSound else {
            return []
        }
        return cells.filter { cell in
            guard cell.isSound, cell.identifier != reference.identifier else { return false }
            guard let finding = finding(of: cell.identifier) else { return true }
            return finding.verdict.isOpen
        }.map { ($0, reference) }
    }
}

extension Run {
    /// The run's sequential design, for the comparisons of all its questions. A shard has that of
    /// the whole run, since all shards share the error.
    public var sequentialDesign: SequentialDesign {
        let questions = plannedWorkloads.flatMap { $0.questions ?? [] }
        return SequentialDesign(contests: questions.flatMap(\.contestsWithError))
    }

    /// All questions with their answers, in the order of the workloads.
    public var questionResults: [QuestionResult] {
        let design = sequentialDesign
        return workloads.flatMap { workload in
            (workload.questions ?? []).map { QuestionResult($0, of: workload, design) }
        }
    }
}

extension QuestionResult {
    /// - Parameter design: the design of the whole run.
    public init(_ question: Question, of workload: WorkloadResult, _ design: SequentialDesign) {
        self.workload = workload
        self.question = question
        contests = question.contests.map { ContestResult($0, of: question, in: workload, design) }
    }
}

extension ContestResult {
    /// - Parameter design: the design of the whole run.
    public init(
        _ contest: Contest, of question: Question, in workload: WorkloadResult,
        _ design: SequentialDesign
    ) {
        self.contest = contest
        let comparer = Comparer(
            contest: contest, question: question, workload: workload, design: design)
        let cells = contest.cells.compactMap { identifier in
            workload.cells.first { $0.identifier == identifier }
        }
        self.cells = cells
        let medians = cells.filter { comparer.obstacle(to: $0) == nil }.compactMap { cell in
            comparer.typicalValue(of: cell).map { (cell: cell, value: $0) }
        }
        let isDescending = question.metric.polarity == .higherIsBetter
        let ordered = medians.sorted {
            isDescending ? $0.value > $1.value : $0.value < $1.value
        }.map(\.cell)
        let reference =
            contest.baseline.map { name in cells.first { $0.identifier == name } }
            ?? ordered.first
        self.reference = reference
        let compared = cells.filter { $0.identifier != reference?.identifier }.map {
            comparer.finding(of: $0, against: reference)
        }
        guard question.metric.polarity != .neither else {
            findings = compared
            best = []
            shortfalls = []
            contenders = []
            return
        }
        let shortfalls = ordered.compactMap { cell in
            ordered.lazy.filter { $0.identifier != cell.identifier }
                .map { comparer.finding(of: cell, against: $0) }
                .first { question.isWorse($0.verdict) }
        }
        self.shortfalls = shortfalls
        findings = compared.map { finding in
            guard contest.baseline == nil, !finding.verdict.isDecided else { return finding }
            return shortfalls.first { $0.cell == finding.cell } ?? finding
        }
        let best = ordered.filter { cell in
            !shortfalls.contains { $0.cell == cell.identifier }
        }
        self.best = best.map(\.identifier)
        contenders = best.dropFirst().map { comparer.finding(of: $0, against: best.first) }
    }
}

extension Question {
    /// Whether the verdict calls the cell worse than its reference.
    func isWorse(_ verdict: Finding.Verdict) -> Bool {
        switch (verdict, metric.polarity) {
        case (.more, .lowerIsBetter), (.less, .higherIsBetter): true
        default: false
        }
    }

    /// ln(cell / reference) of each round that both have, in the order of rounds. For a count,
    /// which may be 0, both sides are increased by 1. Values below ``sameBelow`` count as that.
    public func logRatios(of cell: CellResult, to reference: CellResult) -> [Double] {
        let offset = metric.unit == .count ? 1.0 : 0
        return Statistics.pairedLogRatios(
            of: metric.name, cell, to: reference, plus: offset, atLeast: sameBelow ?? 0)
    }
}

/// Compares cells by the metric of a question.
private struct Comparer {
    let contest: Contest
    let question: Question
    let workload: WorkloadResult
    let design: SequentialDesign

    /// The count for exact counts, otherwise the median of the samples.
    func typicalValue(of cell: CellResult) -> Double? {
        Statistics.median(question.values(of: cell))
    }

    func finding(of cell: CellResult, against reference: CellResult?) -> Finding {
        guard let reference else {
            return Finding(
                cell: cell.identifier, reference: "",
                verdict: .undecided(nil, .measurement("nothing was measured")), roundCount: 0)
        }
        func finding(_ verdict: Finding.Verdict, _ roundCount: Int = 0) -> Finding {
            Finding(
                cell: cell.identifier, reference: reference.identifier, verdict: verdict,
                roundCount: roundCount)
        }
        if let obstacle = [cell, reference].compactMap(obstacle).first {
            return finding(.undecided(nil, .measurement(obstacle)))
        }
        if question.isExact { return finding(exactVerdict(cell, reference)) }
        if question.isBounded {
            let verdict = boundedVerdict(cell, reference)
            return finding(verdict.verdict, verdict.roundCount)
        }
        let logRatios = question.logRatios(of: cell, to: reference)
        guard let middle = Statistics.median(logRatios) else {
            return finding(.undecided(nil, .measurement("no round measured both cells")))
        }
        let state = design.evaluate(
            logRatios, contest.errorShares(against: reference.identifier),
            sameWithin: question.sameWithin)
        let ratio = Finding.Ratio(
            estimate: exp(state.roundCount > 0 ? state.estimate : middle),
            interval: state.interval.map { exp($0.lowerBound)...exp($0.upperBound) })
        return finding(
            verdict(state, ratio, logRatios, secondsPerRound: seconds([cell, reference])),
            logRatios.count)
    }

    private func verdict(
        _ state: SequentialDesign.State, _ ratio: Finding.Ratio, _ logRatios: [Double],
        secondsPerRound: Double?
    ) -> Finding.Verdict {
        switch state.conclusion {
        case .less: return .less(ratio)
        case .more: return .more(ratio)
        case .equivalent: return .equivalent(ratio)
        case nil: break
        }
        if state.isContradictory { return .undecided(ratio, .repetition) }
        let next = design.nextLook(after: logRatios.count)
        guard let needed = design.roundsNeeded(for: logRatios, sameWithin: question.sameWithin)
        else {
            let spread = Statistics.spread(logRatios) ?? 0
            return .undecided(ratio, .calmerMachine(spread: exp(spread) - 1))
        }
        let more = max(needed, next) - logRatios.count
        return .undecided(
            ratio, .rounds(more, seconds: secondsPerRound.map { $0 * Double(more) }))
    }

    /// Judges by the ranges of the values, which noise does not leave: a cell's own values spread by
    /// at most ``boundedSpread``. *Less* and *more* need ranges that are further apart than the
    /// layout of a binary moves anything.
    private func boundedVerdict(
        _ cell: CellResult, _ reference: CellResult
    ) -> (verdict: Finding.Verdict, roundCount: Int) {
        // Increased by 1, so that there are ratios of 0.
        let values = question.values(of: cell).map { $0 + 1 }
        let others = question.values(of: reference).map { $0 + 1 }
        let roundCount = min(values.count, others.count)
        guard roundCount > 0, let (low, high) = range(values),
            let (otherLow, otherHigh) = range(others)
        else {
            return (.undecided(nil, .measurement("\(question.metric.title) is not known")), 0)
        }
        let ratio = (low + high) / (otherLow + otherHigh)
        guard roundCount >= Question.boundedRoundCount else {
            let missing = Question.boundedRoundCount - roundCount
            return (
                .undecided(
                    Finding.Ratio(estimate: ratio),
                    .rounds(
                        missing, seconds: seconds([cell, reference]).map { $0 * Double(missing) })
                ), roundCount
            )
        }
        let interval = (low / otherHigh)...(high / otherLow)
        let found = Finding.Ratio(estimate: ratio, interval: interval)
        let spread = 1 + Self.boundedSpread
        guard high <= low * spread, otherHigh <= otherLow * spread else {
            let reason = "\(question.metric.title) of one cell differs by more than 1 %"
            return (.undecided(found, .measurement(reason)), roundCount)
        }
        let sameWithin = (1 + question.sameWithin) / spread
        let apart = (1 + SequentialDesign.smallestDifference) * spread
        let verdict: Finding.Verdict =
            if max(high, otherHigh) <= sameWithin * min(low, otherLow) {
                .equivalent(found)
            } else if low > apart * otherHigh {
                .more(found)
            } else if otherLow > apart * high {
                .less(found)
            } else {
                .undecided(found, .measurement("the cells are too close to tell them apart"))
            }
        return (verdict, roundCount)
    }

    private func range(_ values: [Double]) -> (low: Double, high: Double)? {
        values.min().map { ($0, values.max()!) }
    }

    private static let boundedSpread = 0.01

    private func exactVerdict(_ cell: CellResult, _ reference: CellResult) -> Finding.Verdict {
        guard let value = typicalValue(of: cell), let other = typicalValue(of: reference) else {
            return .undecided(nil, .measurement("\(question.metric.title) was not counted"))
        }
        let ratio = Finding.Ratio(estimate: value == other ? 1 : value / other)
        let bound = 1 + question.sameWithin
        if value <= other * bound, other <= value * bound { return .equivalent(ratio) }
        return value < other ? .less(ratio) : .more(ratio)
    }

    /// Why a cell cannot be compared; `nil` if it can. For a saturated load, latencies from the due
    /// time show only how long it lasted.
    func obstacle(to cell: CellResult) -> String? {
        if cell.failure != nil { return "\(cell.identifier) failed" }
        if !cell.isSound { return "\(cell.identifier) gave a wrong answer" }
        return question.metric.isIntended && cell.isSaturated
            ? "\(cell.identifier) did not keep up with the load" : nil
    }

    /// The seconds that a round of the cells takes; `nil` unless samples of each cell have them.
    private func seconds(_ cells: [CellResult]) -> Double? {
        let times = cells.compactMap { Statistics.median($0.values(of: Metric.sampleSeconds.name)) }
        return times.count == cells.count ? times.reduce(0, +) : nil
    }
}
