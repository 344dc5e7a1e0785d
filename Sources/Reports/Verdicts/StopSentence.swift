import Foundation
import Measuring
import RunRecords

/// Why a run took no more rounds for a question that it did not decide.
struct StopSentence {
    private let result: QuestionResult
    private let design: SequentialDesign
    private let secondsLeft: Double?
    /// The comparisons that are not decided.
    private let open: [Finding]

    /// - Parameter design: the design of the whole run.
    /// - Parameter secondsLeft: what is left of the run's budget; `nil` for a run without one.
    /// - Returns: `nil` if the question is decided.
    init?(_ result: QuestionResult, _ design: SequentialDesign, secondsLeft: Double?) {
        guard !result.isDecided else { return nil }
        self.result = result
        self.design = design
        self.secondsLeft = secondsLeft
        open = result.contests.flatMap { contest in
            contest.findings.filter { !$0.verdict.isDecided }
        }
    }

    /// The question, such as "import.rows".
    var identifier: String { result.identifier }

    /// Whether more rounds are likely to decide it.
    var mayGoOn: Bool { isBeforeFirstRound || (roundsNeeded != nil && mayHaveValues) }

    /// The time of the rounds that are likely to decide it, for each cell, by workload and cell. Empty
    /// if it is not known.
    var secondsNeeded: [[String]: Double] {
        guard mayGoOn, let roundsNeeded, let times = secondsPerSample(of: openCells) else {
            return [:]
        }
        return times.reduce(into: [:]) { seconds, cell in
            seconds[[result.workload.name, cell.key]] = cell.value * Double(roundsNeeded)
        }
    }

    var reason: String {
        let remedies = open.compactMap(\.verdict.remedy)
        if isBeforeFirstRound { return "the budget was spent before its first round" }
        if let roundsNeeded {
            return mayHaveValues
                ? budget(for: roundsNeeded) : "too few of its rounds have a value of both cells"
        }
        guard let noisy = open.first(where: { $0.verdict.remedy?.isOfNoise == true }) else {
            return remedies.map(\.sentence).uniqued.joined(separator: "; ")
        }
        guard noisy.roundCount < design.roundCountMax else {
            return "the maximum of \(design.roundCountMax) rounds"
        }
        let toLook = design.nextLook(after: noisy.roundCount) - noisy.roundCount
        let noise = noisy.verdict.remedy?.sentence ?? ""
        return secondsLeft == nil ? noise : "\(noise); \(budget(for: toLook))"
    }

    private var roundsNeeded: Int? {
        open.compactMap(\.verdict.remedy?.roundCount).max()
    }

    private var openCells: Set<String> { Set(open.flatMap { [$0.cell, $0.reference] }) }

    private var isSpent: Bool { secondsLeft.map { $0 <= 0 } ?? false }

    private var isBeforeFirstRound: Bool {
        isSpent && open.allSatisfy { $0.roundCount == 0 } && !hasFailed
    }

    private var mayHaveValues: Bool { isSpent || hasEnoughValues }

    private var hasFailed: Bool {
        result.contests.flatMap(\.cells).contains { !$0.isSound }
    }

    /// Whether each open comparison has a ratio in half of the rounds of its cells, without which it
    /// gets no more.
    private var hasEnoughValues: Bool {
        let roundCounts = Dictionary(
            result.contests.flatMap(\.cells).map { ($0.identifier, $0.samples.count) },
            uniquingKeysWith: max)
        return open.allSatisfy {
            2 * $0.roundCount >= min(roundCounts[$0.cell] ?? 0, design.quickLook)
        }
    }

    /// "36 more rounds of its 2 open cells would take 4 minutes, and the budget has 40 seconds left".
    /// Screens say what one comparison takes, so a question with several says that this is all of it.
    private func budget(for more: Int) -> String {
        let rounds =
            "\(more) more \(more == 1 ? "round" : "rounds") of its \(openCells.count) open cells"
            + (open.count > 1 ? ", for \(open.count) comparisons," : "")
        guard let secondsLeft else { return "\(rounds) would be needed" }
        guard secondsLeft > 0 else {
            return "\(rounds) would be needed, and the budget is spent"
        }
        guard let times = secondsPerSample(of: openCells) else {
            return "\(rounds) would be needed, and how long they take is not known"
        }
        let seconds = times.values.reduce(0, +) * Double(more)
        return "\(rounds) would take \(MetricUnit.inWords(seconds: seconds)), and the budget has "
            + "\(MetricUnit.inWords(seconds: secondsLeft)) left"
    }

    private func secondsPerSample(of cells: Set<String>) -> [String: Double]? {
        let times: [String: Double] = result.contests.flatMap(\.cells).reduce(into: [:]) {
            times, cell in
            guard cells.contains(cell.identifier) else { return }
            times[cell.identifier] = Statistics.median(
                cell.values(of: Metric.sampleSeconds.name))
        }
        return times.count == cells.count ? times : nil
    }
}

extension Finding.Remedy {
    var roundCount: Int? {
        if case .rounds(let count, _) = self { count } else { nil }
    }

    fileprivate var isOfNoise: Bool {
        if case .calmerMachine = self { true } else { false }
    }
}
