import Foundation
import Measuring
import RunRecords

/// Why a run took no more rounds for a question that it did not decide, in one line.
public struct StopSentence: CustomStringConvertible {
    private let result: QuestionResult
    private let design: SequentialDesign
    private let secondsLeft: Double?
    private let isAskedAlone: Bool
    /// The comparisons that are not decided.
    private let open: [Finding]

    /// - Parameter design: the design of the whole run.
    /// - Parameter secondsLeft: what is left of the run's budget; `nil` for a run without one.
    /// - Parameter isAskedAlone: whether `--question` can ask it.
    /// - Returns: `nil` if the question is decided.
    public init?(
        _ result: QuestionResult, _ design: SequentialDesign, secondsLeft: Double?,
        isAskedAlone: Bool
    ) {
        guard !result.isDecided else { return nil }
        self.result = result
        self.design = design
        self.secondsLeft = secondsLeft
        self.isAskedAlone = isAskedAlone
        open = result.contests.flatMap { contest in
            contest.findings.filter { !$0.verdict.isDecided }
        }
    }

    public var description: String { "\(result.identifier) stopped: \(reason)" }

    private var reason: String {
        let remedies = open.compactMap(\.verdict.remedy)
        let isSpent = secondsLeft.map { $0 <= 0 } ?? false
        if isSpent, open.allSatisfy({ $0.roundCount == 0 }), !hasFailed {
            return "the budget was spent before its first round"
        }
        if let more = remedies.compactMap(\.roundCount).max() {
            guard isSpent || hasEnoughValues else {
                return "too few of its rounds have a value of both cells"
            }
            return budget(for: more) + hint
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
    private func budget(for more: Int) -> String {
        let cells = Set(open.flatMap { [$0.cell, $0.reference] })
        let rounds =
            "\(more) more \(more == 1 ? "round" : "rounds") of its \(cells.count) open cells"
        guard let secondsLeft else { return "\(rounds) would be needed" }
        guard secondsLeft > 0 else {
            return "\(rounds) would be needed, and the budget is spent"
        }
        guard let seconds = secondsPerRound(of: cells).map({ $0 * Double(more) }) else {
            return "\(rounds) would be needed, and how long they take is not known"
        }
        return "\(rounds) would take \(MetricUnit.inWords(seconds: seconds)), and the budget has "
            + "\(MetricUnit.inWords(seconds: secondsLeft)) left"
    }

    /// The options of a run that is likely to decide it; empty if that is not known.
    private var hint: String {
        // A new run begins anew: what is decided has to be decided again.
        let counts = result.contests.flatMap(\.findings).map { finding in
            finding.verdict.isDecided
                ? finding.roundCount
                : finding.verdict.remedy?.roundCount.map { finding.roundCount + $0 }
        }
        let all = Set(result.contests.flatMap(\.cells).map(\.identifier))
        guard isAskedAlone, !counts.contains(nil), let total = counts.compactMap(\.self).max(),
            let seconds = secondsPerRound(of: all)
        else { return "" }
        // Making stores and the journal take time as well.
        let minutes = Int((1.2 * Double(total) * seconds / 60).rounded(.up))
        let full = result.workload.smallName == nil ? "" : "--full "
        return ". Likely to decide it: \(full)--question \(result.identifier) --budget \(minutes)m"
    }

    private func secondsPerRound(of cells: Set<String>) -> Double? {
        let times: [String: Double] = result.contests.flatMap(\.cells).reduce(into: [:]) {
            times, cell in
            guard cells.contains(cell.identifier) else { return }
            times[cell.identifier] = Statistics.median(
                cell.values(of: Metric.sampleSeconds.name))
        }
        return times.count == cells.count ? times.values.reduce(0, +) : nil
    }
}

extension Finding.Remedy {
    fileprivate var roundCount: Int? {
        if case .rounds(let count, _) = self { count } else { nil }
    }

    fileprivate var isOfNoise: Bool {
        if case .calmerMachine = self { true } else { false }
    }
}
