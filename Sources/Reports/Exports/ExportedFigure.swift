import Measuring
import RunRecords

/// A figure as other tools get it: with a name that joins runs, and bounds that hold 95 %.
struct ExportedFigure {
    let workload: WorkloadResult
    let cell: CellResult
    let figure: Figure

    /// The figures of a run, in the order of its workloads and cells.
    ///
    /// Cells that failed or gave a wrong answer are left out, since a wrong answer is never a fast one.
    /// So are latencies from the due time of a saturated load, which show only how long it lasted.
    static func all(of run: Run) -> [ExportedFigure] {
        run.workloads.flatMap { workload in
            workload.cells.filter(\.isSound).flatMap { cell in
                workload.figures(of: cell)
                    .filter { !($0.metric.isIntended && cell.isSaturated) }
                    .map { ExportedFigure(workload: workload, cell: cell, figure: $0) }
            }
        }
    }

    var metric: Metric { figure.metric }

    /// "import nested/pooled time", the same in every run of the same command.
    var name: String { "\(workload.name) \(cell.identifier) \(metric.name)" }

    /// The 95 % interval of the median. `nil` for a count, and with fewer than six samples, whose range
    /// has less than 95 %.
    var interval: MedianInterval? {
        figure.interval.flatMap { $0.coverage >= 0.95 ? $0 : nil }
    }
}
