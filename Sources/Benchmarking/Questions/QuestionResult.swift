import Foundation

/// A question with what the run says of it so far.
public struct QuestionResult: Sendable {
    public let workload: WorkloadResult
    public let question: Question
    /// In the order of ``Question/contests``.
    public let contests: [ContestResult]

    /// Whether every comparison is decided.
    public var isDecided: Bool { contests.allSatisfy(\.isDecided) }
}

/// A contest with what the run says of it so far.
public struct ContestResult: Sendable {
    public let contest: Contest
    /// The cells of ``contest``, in its order.
    public let cells: [CellResult]
    /// The cell that the others are compared with: the baseline, or the one with the best median; nil where no cell has
    /// a value.
    public let reference: CellResult?
    /// One for each cell but the reference, in the order of ``cells``.
    public let findings: [Finding]
    /// The cells that no other one is known to be better than, best median first; none where the metric has no better.
    public let best: [String]

    public var isDecided: Bool { reference != nil && findings.allSatisfy(\.verdict.isDecided) }

    public func finding(of cell: String) -> Finding? { findings.first { $0.cell == cell } }
}

extension Run {
    /// The design of the run's looks, over the comparisons of all of its questions.
    public var sequentialDesign: SequentialDesign {
        let questions = workloads.flatMap { $0.questions ?? [] }
        return SequentialDesign(
            comparisonCount: max(questions.map(\.comparisonCount).reduce(0, +), 1))
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
    /// - Parameter design: of the whole run.
    public init(_ question: Question, of workload: WorkloadResult, _ design: SequentialDesign) {
        self.workload = workload
        self.question = question
        contests = question.contests.map { ContestResult($0, of: question, in: workload, design) }
    }
}

extension ContestResult {
    init(
        _ contest: Contest, of question: Question, in workload: WorkloadResult,
        _ design: SequentialDesign
    ) {
        self.contest = contest
        let comparer = Comparer(question: question, workload: workload, design: design)
        let cells = contest.cells.compactMap { identifier in
            workload.cells.first { $0.identifier == identifier }
        }
        self.cells = cells
        let medians = cells.filter(\.isSound).compactMap { cell in
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
        findings = cells.filter { $0.identifier != reference?.identifier }
            .map { comparer.finding(of: $0, against: reference) }
        best =
            question.metric.polarity == .neither
            ? []
            : ordered.filter { cell in
                !ordered.contains { comparer.isWorse(cell, than: $0) }
            }.map(\.identifier)
    }
}

/// Compares cells by the metric of a question.
private struct Comparer {
    let question: Question
    let workload: WorkloadResult
    let design: SequentialDesign

    /// Of exact counts the count, else the median of the samples.
    func typicalValue(of cell: CellResult) -> Double? {
        Statistics.median(cell.values(of: question.metric.name))
    }

    func isWorse(_ cell: CellResult, than other: CellResult) -> Bool {
        guard cell.identifier != other.identifier else { return false }
        let verdict = finding(of: cell, against: other).verdict
        return switch (verdict, question.metric.polarity) {
        case (.more, .lowerIsBetter), (.less, .higherIsBetter): true
        default: false
        }
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
        if let unsound = [cell, reference].first(where: { !$0.isSound }) {
            let word = unsound.failure == nil ? "gave a wrong answer" : "failed"
            return finding(.undecided(nil, .measurement("\(unsound.identifier) \(word)")))
        }
        if question.isExact { return finding(exactVerdict(cell, reference)) }
        let logRatios = Statistics.pairedLogRatios(of: question.metric.name, cell, to: reference)
        guard let middle = Statistics.median(logRatios) else {
            return finding(.undecided(nil, .measurement("no round has both values")))
        }
        let state = design.evaluate(logRatios, sameWithin: question.sameWithin)
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
            let deviation = Statistics.medianAbsoluteDeviation(logRatios) ?? 0
            return .undecided(ratio, .calmerMachine(spread: exp(1.48 * deviation) - 1))
        }
        let more = max(needed, next) - logRatios.count
        return .undecided(
            ratio, .rounds(more, seconds: secondsPerRound.map { $0 * Double(more) }))
    }

    private func exactVerdict(_ cell: CellResult, _ reference: CellResult) -> Finding.Verdict {
        guard let value = typicalValue(of: cell), let other = typicalValue(of: reference) else {
            return .undecided(nil, .measurement("\(question.metric.title) was not counted"))
        }
        let ratio = Finding.Ratio(estimate: value == other ? 1 : value / other)
        let bound = 1 + question.sameWithin
        if value <= other * bound, other <= value * bound { return .equivalent(ratio) }
        return value < other ? .less(ratio) : .more(ratio)
    }

    /// What a round of the cells takes; nil where no sample says.
    private func seconds(_ cells: [CellResult]) -> Double? {
        let times = cells.compactMap { Statistics.median($0.values(of: Metric.sampleSeconds.name)) }
        return times.count == cells.count ? times.reduce(0, +) : nil
    }
}
