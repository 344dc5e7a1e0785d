/// Why the best subject is ahead of the next one, as far as the counters tell, and how sure that is.
struct Explanation {
    private let leader: CellResult
    private let next: CellResult
    private let ranking: Ranking
    private let nextName: String

    /// Nil unless there are two subjects that share enough rounds.
    init?(_ ranking: Ranking, label: (CellResult) -> String) {
        guard ranking.ordered.count > 1, ranking.pairCount >= PairedRatio.pairsNeeded else {
            return nil
        }
        self.ranking = ranking
        leader = ranking.ordered[0]
        next = ranking.ordered[1]
        nextName = label(next)
    }

    /// What work costs, in the order in which it explains; the last one is a price and not a cause.
    private static let costs: [Metric] = [
        .cpuTime, .statements, .virtualMachineSteps, .rowsRead, .faultsFired, .rowCacheHits,
        .bytesWritten, .syncs, .involuntarySwitches, .peakMemory,
    ]
    /// Differences below this share explain nothing.
    private static let smallest = 0.05
    private static let listedMax = 3

    /// What the next one spends more or less of; nil without a clear winner, or when nothing was
    /// counted of both.
    var why: String? {
        guard ranking.clearWinner != nil else { return nil }
        let known = (Self.costs + Self.furtherCosts(of: [leader, next])).filter {
            $0.name != ranking.metric.name
        }
        let ratios = known.compactMap { cost -> (metric: Metric, ratio: Double)? in
            guard let mine = Statistics.median(leader.values(of: cost.name)), mine > 0,
                let other = Statistics.median(next.values(of: cost.name)), other > 0
            else { return nil }
            return (cost, other / mine)
        }
        guard !ratios.isEmpty else { return nil }
        let more = ratios.filter { $0.ratio > 1 + Self.smallest }
        let less = ratios.filter { $0.ratio < 1 / (1 + Self.smallest) }
        let same = ratios.filter { $0.ratio == 1 }
        var clauses: [String] = []
        if !more.isEmpty { clauses.append("\(nextName) takes \(Self.listed(more))") }
        if !less.isEmpty { clauses.append("it takes only \(Self.listed(less))") }
        if more.isEmpty, less.isEmpty {
            clauses.append("nothing that was counted differs by more than 5 %")
        }
        if !same.isEmpty {
            let names = same.prefix(Self.listedMax).map(\.metric.title)
            clauses.append("\(names.listed) \(names.count == 1 ? "is" : "are") the same")
        }
        return "Why: \(clauses.joined(separator: "; "))."
    }

    /// How many rounds agree, and how often chance alone would make as many.
    var certainty: String {
        let logRatios = Statistics.pairedLogRatios(of: ranking.metric.name, next, to: leader)
        let isBehind: (Double) -> Bool =
            ranking.metric.polarity == .higherIsBetter ? { $0 < 0 } : { $0 > 0 }
        let agreeing = logRatios.count(where: isBehind)
        let total = logRatios.count
        guard ranking.clearWinner != nil else {
            let ratio = Statistics.pairedRatio(of: ranking.metric.name, next, to: leader)
            let interval = ratio?.interval.map {
                ": the ratio lies between \(MetricUnit.ratio.format($0.lower)) and "
                    + MetricUnit.ratio.format($0.upper)
            }
            return "How sure: not enough to name one\(interval ?? "")."
        }
        // Twice, for of two that are alike either could have been ahead.
        let chance = min(2 * Statistics.binomialTail(atLeast: agreeing, of: total), 1)
        return
            "How sure: ahead of \(nextName) in \(agreeing) of \(total) rounds, which chance alone "
            + "does once in \(grouped(1 / chance))."
    }

    /// Counters that are not among the well-known metrics.
    private static func furtherCosts(of cells: [CellResult]) -> [Metric] {
        let names = cells.flatMap(\.samples).reduce(into: Set<String>()) {
            $0.formUnion($1.counters.keys)
        }
        return names.subtracting(Metric.wellKnown.map(\.name)).sorted().map(Metric.named)
    }

    /// The largest differences, in the order of the costs.
    private static func listed(_ ratios: [(metric: Metric, ratio: Double)]) -> String {
        ratios.prefix(listedMax).map {
            "\(MetricUnit.ratio.format($0.ratio)) the \($0.metric.title)"
        }.listed
    }
}
