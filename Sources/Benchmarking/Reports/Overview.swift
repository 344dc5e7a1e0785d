/// All workloads against all stacks in one table: how many times the best stack's median each one
/// takes. Nil unless there are two workloads and two stacks to set side by side.
struct Overview {
    private let summaries: [WorkloadSummary]
    private let stacks: [String]

    init?(_ summaries: [WorkloadSummary]) {
        self.summaries = summaries
        stacks =
            summaries.flatMap { summary in
                summary.workload.cells.filter { $0.role == .stack }.map(summary.label)
            }.uniqued
        if summaries.count < 2 || stacks.count < 2 { return nil }
    }

    var table: ReportTable {
        var table = ReportTable(
            [("÷ the best stack’s median", .left)] + stacks.map { ($0, .right) })
        for summary in summaries {
            let metric = summary.workload.primaryMetric
            let rankings = summary.groups.map { Ranking(of: $0.cells, by: metric) }
            let cells = stacks.map { stack -> String in
                guard let ratio = ratio(of: stack, in: rankings, of: summary) else { return "–" }
                let wins = rankings.allSatisfy { $0.clearWinner.map(summary.label) == stack }
                let text = MetricUnit.ratio.format(ratio)
                return wins ? "**\(text)**" : text
            }
            let cases = summary.groups.count > 1 ? " (\(summary.groups.count) cases)" : ""
            table.append(["\(escaped(summary.workload.title)), \(metric.title)\(cases)"] + cells)
        }
        return table
    }

    /// The geometric mean over the cases; nil unless the stack is sound in all of them.
    private func ratio(
        of stack: String, in rankings: [Ranking], of summary: WorkloadSummary
    ) -> Double? {
        let ratios = rankings.compactMap { ranking -> Double? in
            guard let leader = ranking.leader,
                let cell = ranking.ordered.first(where: { summary.label($0) == stack }),
                let value = Statistics.median(cell.values(of: ranking.metric.name)),
                let best = Statistics.median(leader.values(of: ranking.metric.name)), best > 0
            else { return nil }
            return value / best
        }
        return ratios.count == rankings.count ? Statistics.geometricMean(ratios) : nil
    }
}
