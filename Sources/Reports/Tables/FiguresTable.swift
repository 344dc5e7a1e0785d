import Measuring
import RunRecords

/// `figures.csv` of a run: a line for each figure of each cell.
///
/// `statistic` is the `median` of samples, or the `count` of an operation, which has no interval. A
/// cell without figures has one line, whose `status` says why.
struct FiguresTable {
    private let run: Run
    private let cells: CellColumns

    init(_ run: Run) {
        self.run = run
        cells = CellColumns(run)
    }

    var columns: [TableColumn] {
        cells.columns + TableColumn.ofMetric + [
            TableColumn("statistic", "median: of the samples; count: of one operation"),
            TableColumn("count", "the samples behind the value"),
            TableColumn("value", "in the metric's unit"),
            TableColumn("lower", "of the 95 % interval of a median, in the metric's unit"),
            TableColumn("upper", "of the 95 % interval of a median, in the metric's unit"),
            TableColumn("status", "verified, wrong, failed, not measured or unverified"),
        ]
    }

    var text: String {
        let rows = run.workloads.flatMap { workload in
            workload.cells.flatMap { cell in
                let start = cells.fields(of: cell, in: workload)
                return fields(of: cell, workload).map { start + $0 + [cell.status] }
            }
        }
        return CommaSeparatedText(columns, rows).text
    }

    private func fields(of cell: CellResult, _ workload: WorkloadResult) -> [[String]] {
        let number = CommaSeparatedText.number
        let figures = workload.figures(of: cell).map { figure in
            figure.metric.fields + [
                figure.statistic.rawValue, "\(figure.values.count)", number(figure.value),
                number(figure.interval?.lower), number(figure.interval?.upper),
            ]
        }
        guard figures.isEmpty else { return figures }
        return [workload.primaryMetric.fields + ["median", "0", "", "", ""]]
    }
}

extension CellResult {
    /// "verified", "wrong", "failed", "not measured" or "unverified".
    fileprivate var status: String {
        if failure != nil { return "failed" }
        return switch verification {
        case .failed: "wrong"
        case .verified: "verified"
        case .notApplicable: samples.isEmpty && counts == nil ? "not measured" : "unverified"
        }
    }
}
