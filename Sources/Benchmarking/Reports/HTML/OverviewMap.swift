/// Every case of every workload against every subject: the ratio to the best stack's median.
struct OverviewMap {
    let chart: Chart

    /// More cases than this are a wall of numbers; then a row is a workload and its ratio the
    /// geometric mean over the cases.
    private static let caseCountMax = 30

    /// Nil unless there are two subjects to set side by side.
    init?(_ summaries: [WorkloadSummary]) {
        let cells = summaries.flatMap { summary in
            summary.workload.cells.map { (cell: $0, label: summary.label($0)) }
        }
        let stacks = cells.filter { $0.cell.role == .stack }.map(\.label).uniqued
        let peers = cells.filter { $0.cell.role == .peer }.map(\.label).uniqued
        let columns = stacks + peers
        let caseCount = summaries.map(\.groups.count).reduce(0, +)
        guard columns.count > 1, caseCount > 0 else { return nil }
        let isDetailed = caseCount <= Self.caseCountMax
        let rows = summaries.flatMap { summary -> [HeatMap.Row] in
            isDetailed
                ? summary.groups.map { Self.row([$0], of: summary, columns) }
                : [Self.row(summary.groups, of: summary, columns)]
        }
        chart =
            HeatMap(
                title: "Each subject against the best stack", summary: Self.told(rows, columns),
                columns: columns, rows: rows, legend: "÷ the best stack’s median"
            ).chart
    }

    private static func row(
        _ groups: [WorkloadSummary.Group], of summary: WorkloadSummary, _ columns: [String]
    ) -> HeatMap.Row {
        let metric = summary.workload.primaryMetric
        let rankings = groups.map { Ranking(of: $0.cells, by: metric) }
        let labels = groups.count == 1 ? summary.label(groups[0]) : "\(groups.count) cases"
        let isPlain = labels.isEmpty
        let name = summary.workload.name
        return HeatMap.Row(
            label: isPlain ? name : "\(name): \(InlineText(markdown: labels).plain)",
            cells: columns.map { column in
                cell(column, in: groups, rankings, of: summary)
            })
    }

    private static func cell(
        _ column: String, in groups: [WorkloadSummary.Group], _ rankings: [Ranking],
        of summary: WorkloadSummary
    ) -> HeatMap.Cell {
        let cells = groups.map { group in group.cells.first { summary.label($0) == column } }
        if let unsound = cells.compactMap(\.self).first(where: { !$0.isSound }) {
            return .unsound(unsound.failure == nil ? "wrong" : "failed")
        }
        let metric = summary.workload.primaryMetric.name
        let ratios = zip(cells, rankings).compactMap { cell, ranking -> Double? in
            guard let cell, let leader = ranking.leader,
                let value = Statistics.median(cell.values(of: metric)),
                let best = Statistics.median(leader.values(of: metric)), best > 0
            else { return nil }
            return value / best
        }
        guard ratios.count == cells.count, let ratio = Statistics.geometricMean(ratios) else {
            return .absent
        }
        let isWinner = rankings.allSatisfy { $0.clearWinner.map(summary.label) == column }
        return .ratio(ratio, isWinner: isWinner)
    }

    private static func told(_ rows: [HeatMap.Row], _ columns: [String]) -> String {
        rows.map { row in
            let parts = zip(columns, row.cells).map { column, cell in
                switch cell {
                case .ratio(let ratio, _): "\(column) \(MetricUnit.ratio.format(ratio))"
                case .unsound(let word): "\(column) \(word)"
                case .absent: "\(column) not measured"
                }
            }
            return "\(row.label): \(parts.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
