import Measuring
import RunRecords

/// `samples.csv`: a line for each sample of a run.
///
/// First come the columns that identify the sample, then all well-known metrics, then the others by
/// name; the order is the same in every run. Absent values are empty. A subject's own counts are
/// also empty if the counting pass has better ones, which are in `figures.csv`. Those of threads in
/// contention never are, since every schedule has its own.
struct SamplesTable {
    private let run: Run
    private let cells: CellColumns
    /// The names of the values.
    private let values: [String]

    init(_ run: Run) {
        self.run = run
        cells = CellColumns(run)
        // All well-known ones, so that the columns of two runs are alike.
        let names = run.workloads.flatMap(\.cells).flatMap(\.samples).valueNames
        values = Metric.ordered(names.union(Metric.wellKnown.map(\.name)))
    }

    var columns: [TableColumn] {
        let metrics = run.workloads.flatMap { [$0.primaryMetric] + $0.extraMetrics }
        return cells.columns + [
            TableColumn("repetition", "the number of the round; the first is 0"),
            TableColumn("positionInRound", "the place of the sample in its round; the first is 0"),
            TableColumn(
                "startedAtSeconds", "since the start of the run, or of the shard", unit: "seconds"),
            TableColumn("isSound", "whether the cell finished with the right answer"),
        ]
            + values.map { name in
                let metric = metrics.first { $0.name == name } ?? Metric.named(name)
                return TableColumn(name, metric.title, unit: metric.unit.rawValue)
            }
    }

    var text: String {
        let rows = run.workloads.flatMap { workload in
            workload.cells.flatMap { cell in
                let start = cells.fields(of: cell, in: workload)
                return cell.samples.map { sample in
                    start + [
                        "\(sample.repetition)", "\(sample.positionInRound)",
                        CommaSeparatedText.number(sample.startedAtSeconds), "\(cell.isSound)",
                    ]
                        + values.map { name in
                            CommaSeparatedText.number(
                                workload.isCountedApart(name, in: cell)
                                    ? nil : sample.value(of: name))
                        }
                }
            }
        }
        return CommaSeparatedText(columns, rows).text
    }
}
