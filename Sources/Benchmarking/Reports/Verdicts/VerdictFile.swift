import Foundation

/// `verdict.json`: what was found, for programs, in a form that does not change with the reports.
struct VerdictFile: Encodable {
    static let schema = 1

    var schema = VerdictFile.schema
    var name: String
    var exitCode: Int32
    var meaning: String
    /// Of a run: a best subject for each workload and case.
    var answers: [Answer]?
    /// Of a run: one for each rule beside its workloads and cell that it matches; absent without rules.
    var rules: [Rule]?
    /// Of a comparison: a row for each cell and metric.
    var rows: [Row]?
    var unsoundCells: [UnsoundCell]

    struct Answer: Encodable {
        var workload: String
        /// Those that vary between the cases of the workload.
        var parameters: [String: String]
        var metric: String
        /// ``CellResult/identifier``; absent where there is no clear one.
        var winner: String?
        /// The winner, or those that cannot be told from the best median; best first.
        var leaders: [String]
        /// The next one's ratio to the best, with its interval.
        var nextRatio: Double?
        var lower: Double?
        var upper: Double?
        var rounds: Int
        var sentence: String
    }

    struct Rule: Encodable {
        var workload: String
        var cell: String
        var metric: String
        var statistic: ThresholdRule.Statistic
        var outcome: Outcome
        var sentence: String

        enum Outcome: String, Encodable {
            case held, crossed, open
        }
    }

    struct Row: Encodable {
        var workload: String
        var cell: String
        var metric: String
        var verdict: Verdict
        var rule: ComparisonRule
        var base: Double?
        var head: Double?
        var ratio: Double?
        var lower: Double?
        var upper: Double?
        var pValue: Double?
        var minimumDetectableEffect: Double?
        var pairs: Int
        var confirmationPairs: Int
        var sentence: String
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("numbers, texts and arrays of them can be encoded")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

extension VerdictFile {
    init(_ run: Run) {
        name = run.name
        exitCode = run.exitCode.rawValue
        meaning = run.exitCode.meaning
        answers = run.workloads.map(WorkloadSummary.init).flatMap { summary in
            summary.groups.map { Answer($0, of: summary) }
        }
        rules = (try? run.ruleReport())?.verdicts.map(Rule.init)
        unsoundCells = run.unsoundCells
    }

    init(_ report: ComparisonReport) {
        name = report.title
        exitCode = report.exitCode.rawValue
        meaning = report.meaning
        rows = report.rows.map(Row.init)
        unsoundCells = report.unsoundCells
    }
}

extension VerdictFile.Answer {
    fileprivate init(_ group: WorkloadSummary.Group, of summary: WorkloadSummary) {
        let ranking = Ranking(of: group.cells, by: summary.workload.primaryMetric)
        let next = ranking.ordered.dropFirst().first.flatMap { next in
            ranking.leader.flatMap {
                Statistics.pairedRatio(of: ranking.metric.name, next, to: $0)
            }
        }
        self.init(
            workload: summary.workload.name,
            parameters: group.parameters.filter { summary.varyingParameters.contains($0.key) },
            metric: ranking.metric.name, winner: ranking.clearWinner?.identifier,
            leaders: ranking.leaders.map(\.identifier), nextRatio: next?.estimate,
            lower: next?.interval?.lower, upper: next?.interval?.upper,
            rounds: ranking.pairCount,
            sentence: InlineText(markdown: Benchmarking.Answer(summary).sentence(on: group)).plain)
    }
}

extension VerdictFile.Rule {
    fileprivate init(_ verdict: ThresholdVerdict) {
        self.init(
            workload: verdict.workload, cell: verdict.cell, metric: verdict.metric.name,
            statistic: verdict.rule.statistic,
            outcome: verdict.isCrossed ? .crossed : verdict.isOpen ? .open : .held,
            sentence: "\(verdict)")
    }
}

extension VerdictFile.Row {
    fileprivate init(_ row: Comparison) {
        self.init(
            workload: row.workload, cell: row.cell, metric: row.metric.name,
            verdict: row.verdict, rule: row.rule, base: row.base, head: row.head,
            ratio: row.ratio, lower: row.interval?.lower, upper: row.interval?.upper,
            pValue: row.pValue, minimumDetectableEffect: row.minimumDetectableEffect,
            pairs: row.pairs.count, confirmationPairs: row.confirmation.count,
            sentence: InlineText(markdown: row.sentence).plain)
    }
}
