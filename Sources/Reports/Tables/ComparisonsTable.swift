import Measuring
import RunRecords

/// `comparisons.csv`: a line for each comparison of a run's questions, or of a gate.
///
/// In a gate, the reference is the base; its cells have no columns of their own for parameters.
struct ComparisonsTable {
    private let cellColumns: [TableColumn]
    private let lines: [[String]]

    var columns: [TableColumn] {
        cellColumns + TableColumn.ofMetric + [
            TableColumn("question", "the id of the question; empty in a gate"),
            TableColumn(
                "reference",
                "the cell that the value is divided by: the question's baseline, the best, or another "
                    + "one that is known to be better; in a gate, the base"),
            TableColumn("rounds", "the rounds, or pairs, that both have"),
            TableColumn("value", "the cell's median or count, in the metric's unit"),
            TableColumn("referenceValue", "the reference's, in the metric's unit"),
            TableColumn("ratio", "the middle of the rounds' ratios: below 1, the cell has less"),
            TableColumn("ratioLower", "of the interval that the verdict rests on"),
            TableColumn("ratioUpper", "of the interval that the verdict rests on"),
            TableColumn("pValue", "of the gate's test; empty in a run"),
            TableColumn(
                "minimumDetectableEffect",
                "the smallest change that the gate would have shown; empty in a run"),
            TableColumn(
                "verdict", "faster, slower, less, more, equivalent or undecided; of a gate, its own"
            ),
            TableColumn("remedy", "what would decide it"),
        ]
    }

    var text: String { CommaSeparatedText(columns, lines).text }

    init(_ run: Run) {
        let cells = CellColumns(run)
        cellColumns = cells.columns
        lines = run.questionResults.flatMap { Self.lines(of: $0, cells) }
    }

    private static func lines(of result: QuestionResult, _ cells: CellColumns) -> [[String]] {
        let number = CommaSeparatedText.number
        let metric = result.question.metric
        return result.contests.flatMap { contest in
            func cell(_ identifier: String) -> CellResult? {
                contest.cells.first { $0.identifier == identifier }
            }
            func value(_ identifier: String) -> String {
                number(cell(identifier).flatMap { Statistics.median($0.values(of: metric.name)) })
            }
            return contest.comparisons.compactMap { finding -> [String]? in
                guard let found = cell(finding.cell) else { return nil }
                let ratio = finding.verdict.ratio
                return cells.fields(of: found, in: result.workload) + metric.fields + [
                    result.question.id, finding.reference, "\(finding.roundCount)",
                    value(finding.cell), value(finding.reference), number(ratio?.estimate),
                    number(ratio?.interval?.lowerBound), number(ratio?.interval?.upperBound), "",
                    "",
                    finding.verdict.word(for: metric), finding.verdict.remedy?.sentence ?? "",
                ]
            }
        }
    }

    /// The head's medians, and their ratios to the base's.
    init(_ report: ComparisonReport) {
        let number = CommaSeparatedText.number
        cellColumns = TableColumn.ofCell
        lines = report.rows.map { row in
            [TableColumn.schema, report.head.name, row.workload, row.cell] + row.metric.fields + [
                "", report.base.name, "\(row.pairs.count)", number(row.head), number(row.base),
                number(row.ratio), number(row.interval?.lower), number(row.interval?.upper),
                number(row.pValue), number(row.minimumDetectableEffect), row.verdict.rawValue,
                row.reason ?? "",
            ]
        }
    }
}
