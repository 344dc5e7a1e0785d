/// The answer of a whole run in one sentence: how often each subject is clearly best.
struct Headline {
    let text: String
    /// Whether any case with rivals has a clear winner.
    let namesWinner: Bool

    init(_ summaries: [WorkloadSummary]) {
        let cases = summaries.flatMap { summary in
            summary.groups.map { group in
                (
                    summary: summary,
                    ranking: Ranking(of: group.cells, by: summary.workload.primaryMetric)
                )
            }
        }
        namesWinner = cases.contains { $0.ranking.clearWinner != nil }
        text =
            switch cases.count {
            case 0: "Nothing was measured."
            case 1:
                "\(escaped(cases[0].summary.workload.title)): \(Answer(cases[0].summary).sentence)"
            default: Self.tally(cases)
            }
    }

    private static func tally(_ cases: [(summary: WorkloadSummary, ranking: Ranking)]) -> String {
        let contested = cases.filter { $0.ranking.ordered.count > 1 }
        guard !contested.isEmpty else {
            return "No two stacks were measured against each other in these \(cases.count) cases."
        }
        let total = contested.count
        let winners = contested.compactMap { contest in
            contest.ranking.clearWinner.map(contest.summary.label)
        }
        guard !winners.isEmpty else {
            let isShort = contested.allSatisfy {
                $0.ranking.pairCount < PairedRatio.pairsNeeded
            }
            return isShort
                ? "Too few rounds to name a winner in any of \(total) cases: take at least "
                    + "\(PairedRatio.pairsNeeded)."
                : "No stack is clearly best in any of \(total) cases."
        }
        let counts = winners.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        let wins = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .enumerated().map { place, win in
                place == 0
                    ? "**\(win.key)** is clearly best in \(win.value) of \(total) cases"
                    : "\(win.key) in \(win.value)"
            }
        let open = total - winners.count
        return wins.listed + (open > 0 ? "; \(open) have no clear winner" : "") + "."
    }
}
