/// What a reader came for, in sentences: which stack is best at a workload, by how much, how sure.
struct Answer {
    let summary: WorkloadSummary

    private var metric: Metric { summary.workload.primaryMetric }

    init(_ summary: WorkloadSummary) {
        self.summary = summary
    }

    /// A list item for the workload, and one below it for each group when there are several.
    var text: String {
        let title = "- **\(escaped(summary.workload.title))**: "
        guard summary.groups.count > 1 else {
            let sentences = summary.groups.first.map { [verdict($0), peers($0)] } ?? []
            let text = sentences.compactMap(\.self).joined(separator: " ")
            return title + (text.isEmpty ? "nothing was measured." : text)
        }
        if summary.groups.count > Self.groupsListedMax { return title + tally }
        let lines = summary.groups.map { "  - \(summary.label($0)): \(verdict($0))" }
        return ([title + tally] + lines).joined(separator: "\n")
    }

    /// More groups than this are counted instead of listed.
    private static let groupsListedMax = 8

    private var superlative: String {
        if metric.name == Metric.time.name { return "the fastest" }
        return metric.polarity == .higherIsBetter
            ? "best, with the highest \(metric.title)" : "best, with the lowest \(metric.title)"
    }

    /// How often each subject won clearly.
    private var tally: String {
        let winners = summary.groups.compactMap { group in
            Ranking(of: group.cells, by: metric).clearWinner.map(summary.label)
        }
        let counts = winners.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        let ordered = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let wins = ordered.map { "\($0.key) is clearly \(superlative) in \($0.value)" }
        let open = summary.groups.count - winners.count
        let rest = open > 0 ? ["no clear winner in \(open)"] : []
        return "of \(summary.groups.count) cases, \((wins + rest).joined(separator: "; "))."
    }

    /// The sentence on a group of cells.
    func verdict(_ group: WorkloadSummary.Group) -> String {
        let ranking = Ranking(of: group.cells, by: metric)
        guard let leader = ranking.leader else { return "no stack gave a right answer." }
        let name = "**\(summary.label(leader))**"
        let value = told(leader)
        guard ranking.ordered.count > 1 else { return "\(name) takes \(value)." }
        let runnerUp = ranking.ordered[1]
        if let pairs = Statistics.pairedRatio(of: metric.name, runnerUp, to: leader)?.pairCount,
            pairs < PairedRatio.pairsNeeded
        {
            return "too few repetitions for a winner. The best median is that of "
                + "\(summary.label(leader)), \(value), but of \(pairs) rounds all agree by chance "
                + "too often; take at least \(PairedRatio.pairsNeeded)."
        }
        guard ranking.clearWinner == nil else {
            return "\(name) is \(superlative): \(value). "
                + "Next is \(ratioClause(runnerUp, to: leader))."
        }
        let tied = ranking.leaders.map { "\(summary.label($0)) (\(told($0)))" }
        let behind = ranking.ordered.count - tied.count
        let rest = behind > 0 ? " They are ahead of the other \(behind)." : ""
        return "no clear winner. \(tied.formatted) differ by less than what can be told from "
            + "noise.\(rest)"
    }

    /// How the leader stands to the peers; nil without any.
    private func peers(_ group: WorkloadSummary.Group) -> String? {
        guard let leader = Ranking(of: group.cells, by: metric).leader, leader.role == .stack
        else { return nil }
        let peers = group.cells.filter { $0.role == .peer && $0.isSound }
        let clauses = peers.map { ratioClause($0, to: leader) }
        return clauses.isEmpty ? nil : "For comparison: \(clauses.formatted)."
    }

    private func ratioClause(_ cell: CellResult, to leader: CellResult) -> String {
        guard let ratio = Statistics.pairedRatio(of: metric.name, cell, to: leader) else {
            return "\(summary.label(cell)) at \(told(cell))"
        }
        let text = MetricUnit.ratio.format(ratio.estimate, ratio.interval)
        let noun = metric.name == Metric.time.name ? "the time" : "the \(metric.title)"
        return "\(summary.label(cell)) at \(text) \(noun)"
    }

    private func told(_ cell: CellResult) -> String {
        metric.unit.formatMedian(cell.values(of: metric.name)) ?? "no value"
    }
}

extension [String] {
    /// The texts as "a", "a and b" or "a, b and c".
    fileprivate var formatted: String {
        guard count > 1, let last else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) and \(last)"
    }
}
