/// All workloads against all subjects: how many times the best stack's median each one takes. A row
/// is a workload, or a case of one while there are few; with several lock policies, a row for each.
struct Overview {
    /// The stacks before the peers.
    let columns: [String]
    let rows: [Row]

    /// More cases than this are a wall of numbers: then the geometric mean over them is told.
    private static let caseCountMax = 30

    struct Row {
        var workload: WorkloadResult
        /// What sets the row apart from others of the workload; empty for nothing.
        var label: String
        /// One for each column.
        var cells: [HeatMap.Cell]
    }

    /// Nil unless there are two subjects to set side by side.
    init?(_ summaries: [WorkloadSummary]) {
        let cells = summaries.flatMap(\.workload.cells)
        let stacks = cells.filter { $0.role == .stack }.map(\.subject).uniqued
        let columns = stacks + cells.filter { $0.role == .peer }.map(\.subject).uniqued
        let isDetailed = summaries.map(\.groups.count).reduce(0, +) <= Self.caseCountMax
        guard columns.count > 1 else { return nil }
        self.columns = columns
        rows = summaries.flatMap { summary -> [Row] in
            let policies = summary.workload.cells.compactMap(\.lockPolicy).uniqued
            let cases = isDetailed ? summary.groups.map { [$0] } : [summary.groups]
            return cases.flatMap { groups in
                (policies.count > 1 ? policies.map { $0 as String? } : [nil]).map { policy in
                    Row(
                        workload: summary.workload,
                        label: Self.label(groups, of: summary, policy),
                        cells: columns.map { Self.cell($0, policy, in: groups, of: summary) })
                }
            }
        }
    }

    private static func label(
        _ groups: [WorkloadSummary.Group], of summary: WorkloadSummary, _ policy: String?
    ) -> String {
        let cases = groups.count == 1 ? summary.label(groups[0]) : "\(groups.count) cases"
        return [cases, policy ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The geometric mean over the cases; absent unless the subject is measured in all of them.
    private static func cell(
        _ subject: String, _ policy: String?, in groups: [WorkloadSummary.Group],
        of summary: WorkloadSummary
    ) -> HeatMap.Cell {
        let cells = groups.map { group in
            group.cells.first {
                $0.subject == subject
                    && (policy == nil || $0.lockPolicy == nil || $0.lockPolicy == policy)
            }
        }
        if let unsound = cells.compactMap(\.self).first(where: { !$0.isSound }) {
            return .unsound(unsound.failure == nil ? "wrong" : "failed")
        }
        let metric = summary.workload.primaryMetric
        let rankings = groups.map { Ranking(of: $0.cells, by: metric) }
        let ratios = zip(cells, rankings).compactMap { cell, ranking -> Double? in
            guard let cell, let leader = ranking.leader,
                let value = Statistics.median(cell.values(of: metric.name)),
                let best = Statistics.median(leader.values(of: metric.name)), best > 0
            else { return nil }
            return value / best
        }
        guard ratios.count == cells.count, let ratio = Statistics.geometricMean(ratios) else {
            return .absent
        }
        return .ratio(
            ratio, isWinner: zip(cells, rankings).allSatisfy { $0 == $1.clearWinner })
    }
}

extension Overview {
    var table: ReportTable {
        var table = ReportTable(
            [("÷ the best stack’s median", .left)] + columns.map { (escaped($0), .right) })
        for row in rows {
            let title = "\(escaped(row.workload.title)), \(row.workload.primaryMetric.title)"
            let texts = row.cells.map { cell in
                switch cell {
                case .ratio(let ratio, let isWinner):
                    isWinner
                        ? "**\(MetricUnit.ratio.format(ratio))**" : MetricUnit.ratio.format(ratio)
                case .unsound(let word): "✗ \(word)"
                case .absent: "–"
                }
            }
            table.append([row.label.isEmpty ? title : "\(title) (\(row.label))"] + texts)
        }
        return table
    }

    var chart: Chart {
        let labels = rows.map { row in
            let label = InlineText(markdown: row.label).plain
            return label.isEmpty ? row.workload.name : "\(row.workload.name): \(label)"
        }
        return HeatMap(
            title: "Each subject against the best stack",
            summary: zip(labels, rows).map(told).joined(separator: "; "), columns: columns,
            rows: zip(labels, rows).map { label, row in
                HeatMap.Row(
                    label: label,
                    isHigherBetter: row.workload.primaryMetric.polarity == .higherIsBetter,
                    cells: row.cells)
            },
            legend: "÷ the best stack’s median"
        ).chart
    }

    private func told(_ label: String, _ row: Row) -> String {
        let parts = zip(columns, row.cells).compactMap { column, cell -> String? in
            switch cell {
            case .ratio(let ratio, _): "\(column) \(MetricUnit.ratio.format(ratio))"
            case .unsound(let word): "\(column) \(word)"
            case .absent: nil
            }
        }
        return "\(label): \(parts.joined(separator: ", "))"
    }
}
