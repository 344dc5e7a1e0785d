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
        var table = CommaSeparatedText()
        table.append(columns.map(\.name))
        for workload in run.workloads {
            for cell in workload.cells {
                let start = cells.fields(of: cell, in: workload)
                for figure in figures(of: cell, workload) {
                    table.append(start + figure + [cell.status])
                }
            }
        }
        return table.text
    }

    private func figures(of cell: CellResult, _ workload: WorkloadResult) -> [[String]] {
        let number = CommaSeparatedText.number
        let figures = Self.valueNames(of: cell).compactMap { name -> [String]? in
            let metric = workload.metric(named: name)
            let values = cell.values(of: name)
            guard let median = Statistics.median(values) else { return nil }
            // The count is the same in every sample, so it needs no median.
            let isCount = cell.isCountedApart(name) || metric.isExactCount && Set(values).count == 1
            let interval = isCount ? nil : Statistics.medianInterval(values)
            return metric.fields + [
                isCount ? "count" : "median", "\(values.count)", number(median),
                number(interval?.lower), number(interval?.upper),
            ]
        }
        guard figures.isEmpty else { return figures }
        return [workload.primaryMetric.fields + ["median", "0", "", "", ""]]
    }

    /// The well-known metrics, then the others by name.
    private static func valueNames(of cell: CellResult) -> [String] {
        let present = (cell.samples + [cell.counts].compactMap(\.self))
            .reduce(into: Set<String>()) { $0.formUnion($1.valueNames) }
        let wellKnown = Metric.wellKnown.map(\.name)
        return wellKnown.filter(present.contains) + present.subtracting(wellKnown).sorted()
    }
}

extension Metric {
    /// Whether it is a count that is always the same for the same work.
    fileprivate var isExactCount: Bool {
        if case .exact = repeatability { true } else { false }
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
