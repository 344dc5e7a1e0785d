/// What a reader came for, in sentences: which stack is best at a workload, by how much, how sure.
struct Answer {
    let summary: WorkloadSummary

    private var metric: Metric { summary.workload.primaryMetric }
    /// More groups than this are counted instead of listed.
    private static let groupsListedMax = 8

    init(_ summary: WorkloadSummary) {
        self.summary = summary
    }

    /// A list item for the workload, and below it one for each of ``details``.
    var markdown: String {
        let head = "- **\(escaped(summary.workload.title))**: \(sentence)"
        return ([head] + details.map { "  - \($0)" }).joined(separator: "\n")
    }

    /// Which subject is best, by how much, and who does not rank.
    var sentence: String {
        let sentences = isSingle ? single(summary.groups[0]) : [tally]
        return (sentences + [unsound].compactMap(\.self)).joined(separator: " ")
    }

    /// Why and how sure; where there are several cases, a line for each of them instead.
    var details: [String] {
        if isSingle {
            let ranking = Ranking(of: summary.groups[0].cells, by: metric)
            let explanation = Explanation(ranking, label: summary.label)
            return [explanation?.why, explanation?.certainty].compactMap(\.self)
        }
        if summary.groups.count > Self.groupsListedMax { return [] }
        return summary.groups.map { "\(summary.label($0)): \(short($0))" }
    }

    /// The same of one case.
    func sentence(on group: WorkloadSummary.Group) -> String {
        single(group).joined(separator: " ")
    }

    private var isSingle: Bool { summary.groups.count == 1 }

    // MARK: - One group of cells

    private func single(_ group: WorkloadSummary.Group) -> [String] {
        let ranking = Ranking(of: group.cells, by: metric)
        guard let leader = ranking.leader else { return ["\(nothing(in: group))."] }
        return verdict(ranking, leader) + [peers(group, leader)].compactMap(\.self)
    }

    private func verdict(_ ranking: Ranking, _ leader: CellResult) -> [String] {
        let name = summary.label(leader)
        guard ranking.ordered.count > 1 else {
            return ["\(name) has \(metric.title) \(told(leader)), and no rival."]
        }
        if ranking.pairCount < PairedRatio.pairsNeeded {
            return [
                "too few rounds (\(ranking.pairCount)) to name a winner; the best median is "
                    + "\(name)’s, \(told(leader)). Take at least \(PairedRatio.pairsNeeded)."
            ]
        }
        guard ranking.clearWinner == nil else {
            let next = comparison(ranking.ordered[1], to: leader)
            return ["**\(name)** is \(superlative): \(told(leader)). Next is \(next)."]
        }
        let tied = ranking.leaders.map { "\(summary.label($0)) (\(told($0)))" }
        let behind = ranking.ordered.filter { !ranking.leaders.contains($0) }.map(summary.label)
        return [
            "no clear winner: the difference between \(tied.listed) cannot be told from noise."
        ] + (behind.isEmpty ? [] : ["They are ahead of \(behind.listed)."])
    }

    /// How the peers stand to the leader; nil without any.
    private func peers(_ group: WorkloadSummary.Group, _ leader: CellResult) -> String? {
        let peers = group.cells.filter { $0.role == .peer && $0.isSound }
        guard leader.role == .stack, !peers.isEmpty else { return nil }
        return "The peers: \(peers.map { comparison($0, to: leader) }.listed)."
    }

    private func comparison(_ cell: CellResult, to leader: CellResult) -> String {
        guard let ratio = Statistics.pairedRatio(of: metric.name, cell, to: leader) else {
            return "\(summary.label(cell)) with \(told(cell))"
        }
        let text = MetricUnit.ratio.format(ratio.estimate, ratio.interval)
        return "\(summary.label(cell)) with \(text) the \(metric.title)"
    }

    // MARK: - Several groups

    private func short(_ group: WorkloadSummary.Group) -> String {
        let ranking = Ranking(of: group.cells, by: metric)
        guard let leader = ranking.leader else { return nothing(in: group) }
        if ranking.clearWinner != nil {
            return "**\(summary.label(leader))** \(told(leader)), next "
                + comparison(ranking.ordered[1], to: leader)
        }
        let tied = ranking.leaders.map { "\(summary.label($0)) \(told($0))" }.listed
        if ranking.ordered.count == 1 {
            let reference = summary.reference(for: leader).flatMap {
                Statistics.pairedRatio(of: metric.name, leader, to: $0)
            }
            let ratio = reference.map {
                ", \(MetricUnit.ratio.format($0.estimate, $0.interval)) that of "
                    + escaped(summary.workload.reference ?? "")
            }
            return tied + (ratio ?? "")
        }
        return ranking.pairCount < PairedRatio.pairsNeeded
            ? "too few rounds (\(ranking.pairCount)); \(tied)" : "no clear winner: \(tied)"
    }

    /// How often each subject won clearly.
    private var tally: String {
        guard !summary.groups.isEmpty else { return "nothing was measured." }
        let rankings = summary.groups.map { Ranking(of: $0.cells, by: metric) }
        let winners = rankings.compactMap { $0.clearWinner.map(summary.label) }
        let total = summary.groups.count
        let rivals = rankings.flatMap(\.ordered).map(summary.label).uniqued
        if rivals.count == 1 { return "\(rivals[0]) has no rival in any of \(total) cases." }
        guard !winners.isEmpty else { return "no clear winner in any of \(total) cases." }
        let counts = winners.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        let ordered = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if let first = ordered.first, first.value == total {
            return "**\(first.key)** is \(superlative) in all \(total) cases."
        }
        let wins = ordered.map { "\($0.key) is \(superlative) in \($0.value)" }
        let open = total - winners.count
        let rest = open > 0 ? ["there is no clear winner in \(open)"] : []
        return "of \(total) cases, \((wins + rest).listed)."
    }

    // MARK: - Words

    /// Why nobody can be ranked.
    private func nothing(in group: WorkloadSummary.Group) -> String {
        if metric.isIntended, group.cells.contains(where: \.isSaturated) {
            return "the load was saturated: its latencies tell how long it lasted"
        }
        return group.cells.contains(where: \.isSound)
            ? "too little was measured to tell \(metric.title)" : "no subject gave a right answer"
    }

    private var superlative: String {
        if metric.name == Metric.time.name { return "clearly the fastest" }
        let extreme = metric.polarity == .higherIsBetter ? "highest" : "lowest"
        return "clearly best, with the \(extreme) \(metric.title)"
    }

    /// Who does not rank and why; nil when all do.
    private var unsound: String? {
        let wrong = labels { if case .failed = $0.verification { true } else { false } }
        let crashed = labels { $0.failure != nil }.filter { !wrong.contains($0) }
        let clauses =
            (wrong.isEmpty ? [] : ["\(wrong.listed) gave a wrong answer"])
            + (crashed.isEmpty ? [] : ["\(crashed.listed) failed"])
        return clauses.isEmpty ? nil : "**✗ \(clauses.joined(separator: "; ")): not ranked.**"
    }

    private func labels(where applies: (CellResult) -> Bool) -> [String] {
        summary.workload.cells.filter(applies).map(summary.label).uniqued
    }

    private func told(_ cell: CellResult) -> String {
        metric.unit.formatMedian(cell.values(of: metric.name)) ?? "no value"
    }
}

extension [String] {
    /// The texts as "a", "a and b" or "a, b and c".
    var listed: String {
        guard count > 1, let last else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) and \(last)"
    }

    /// Each text once, where it was first.
    var uniqued: [String] {
        reduce(into: []) { seen, text in
            if !seen.contains(text) { seen.append(text) }
        }
    }
}
