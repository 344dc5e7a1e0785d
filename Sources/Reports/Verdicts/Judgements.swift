import Measuring
import RunRecords

/// All judgements of a run, a check or a comparison, one sentence each, for machines.
public struct Judgements: Hashable, Sendable {
    /// The name of what was judged, for example of the run.
    var name: String
    var all: [Judgement]
}

/// One thing that was judged, and the outcome.
struct Judgement: Hashable, Sendable {
    var workload: String
    /// The cell, and the metric if one was judged.
    var subject: String
    var outcome: Outcome
    /// The finding, without markup.
    var sentence: String

    enum Outcome: Sendable {
        case held
        /// A welcome change.
        case improved
        case failed
        /// It cannot be judged.
        case open
        /// It crashed or timed out.
        case broken
    }
}

extension Judgements {
    /// Judges whether each cell finished with the right answer, each question, and each threshold
    /// rule of the workloads.
    public init(of run: Run) {
        name = run.name
        all = run.workloads.flatMap { workload in
            workload.cells.map { cell in
                Judgement(cell, of: workload)
            }
        }
        all += run.questionResults.map(Judgement.init)
        all += run.ruleReport?.verdicts.map(Judgement.init) ?? []
    }

    /// Each threshold, and each unsound cell.
    public init(of report: ThresholdReport, name: String) {
        self.name = name
        all =
            report.unsoundCells.map(Judgement.init)
            + report.verdicts.map(Judgement.init)
    }

    /// Each row of the comparison, and each unsound cell.
    public init(of report: ComparisonReport) {
        name = report.title
        all =
            report.unsoundCells.map(Judgement.init)
            + report.rows.map { row in
                Judgement(
                    workload: row.workload, subject: "\(row.cell) \(row.metric.name)",
                    outcome: row.outcome, sentence: InlineText(markdown: row.sentence).plain)
            }
    }
}

extension Judgement {
    init(_ cell: CellResult, of workload: WorkloadResult) {
        if let unsound = UnsoundCell(cell, of: workload) {
            self.init(unsound)
        } else if cell.samples.isEmpty {
            self.init(
                workload: workload.name, subject: cell.identifier, outcome: .open,
                sentence: "not measured")
        } else {
            let sentence =
                if case .verified = cell.verification {
                    "the answer read back from the store is right"
                } else {
                    "finished; this workload has no answer to verify"
                }
            self.init(
                workload: workload.name, subject: cell.identifier, outcome: .held,
                sentence: sentence)
        }
    }

    /// A question makes no demand, so it is either answered or open.
    init(_ result: QuestionResult) {
        self.init(
            workload: result.workload.name, subject: result.question.id,
            outcome: result.isDecided ? .held : .open,
            sentence: InlineText(markdown: QuestionSentence(result).markdown).plain)
    }

    init(_ verdict: ThresholdVerdict) {
        self.init(
            workload: verdict.workload,
            subject: "\(verdict.cell) \(verdict.rule.statistic) \(verdict.metric.name)",
            outcome: verdict.isCrossed ? .failed : verdict.isOpen ? .open : .held,
            sentence: "\(verdict)")
    }

    init(_ cell: UnsoundCell) {
        self.init(
            workload: cell.workload, subject: cell.cell,
            outcome: cell.isWrongAnswer ? .failed : .broken,
            sentence: "\(cell.isWrongAnswer ? "wrong answer" : "failed"): \(cell.reason)")
    }
}

extension Comparison {
    fileprivate var outcome: Judgement.Outcome {
        switch verdict {
        case .regressed: .failed
        case .improved: .improved
        case .ok: .held
        case .inconclusive: .open
        }
    }
}
