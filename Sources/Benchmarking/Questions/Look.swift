import Foundation

/// A few rounds that all differ by so much that noise does not come into question.
struct Glance {
    /// Each round has to differ by more than a factor of 2.5.
    static let logRatio = log(2.5)
    /// How often noise alone is assumed to move a round by that in one direction. Of 472 recorded rounds none was off by 2.
    private static let chance = 0.1
    /// The part of a bound's error that the glance may take.
    private static let share = 0.25

    let roundCount: Int
    let error: Double

    init(boundError: Double) {
        var roundCount = 1
        while pow(Self.chance, Double(roundCount)) > Self.share * boundError { roundCount += 1 }
        self.roundCount = roundCount
        error = pow(Self.chance, Double(roundCount))
    }
}

/// A number of rounds at which comparisons are looked at.
struct Look: Sendable {
    let roundCount: Int
    /// The W₊ that rejects a value of the ratio.
    let criticalSum: Int
    /// P(W₊ ≥ criticalSum): what the look spends.
    let error: Double

    private var averageCount: Int { roundCount * (roundCount + 1) / 2 }

    /// The share of the Walsh averages that must lie on one side of a value to reject it.
    var shareNeeded: Double { Double(criticalSum) / Double(averageCount) }

    /// The bounds that the rounds' Walsh averages give: those values that a signed-rank test of W₊ ≥ criticalSum rejects
    /// in neither direction.
    ///
    /// Source: Tukey, "The simplest signed-rank tests" (1949); Hollander and Wolfe, "Nonparametric Statistical Methods",
    /// §3.2.
    func interval(ofSorted sorted: [Double]) -> ClosedRange<Double> {
        let averages = WalshAverages(sorted)
        let lower = averages.greatest(criticalSum)
        let upper = averages.greatest(averageCount + 1 - criticalSum)
        return min(lower, upper)...max(lower, upper)
    }
}

extension Look {
    nonisolated(unsafe) static var firstShare = 1.0 / 3
    nonisolated(unsafe) static var growth = 1.15
    nonisolated(unsafe) static var decay = 0.85
    private static let roundCountMax = 300

    /// Looks from the first number of rounds that can reject anything.
    static func table(error: Double) -> [Look] {
        var looks: [Look] = []
        var distribution = SignedRankDistribution()
        var rank = 0
        var next = Int((-log2(firstShare * error)).rounded(.up))
        var allowed = firstShare * error
        var share = (1 - firstShare) * (1 - decay)
        var spent = 0.0
        while rank < roundCountMax {
            while rank < next {
                rank += 1
                distribution.add(rank: rank)
            }
            let critical = distribution.criticalSum(withTailAtMost: allowed - spent)
            looks.append(Look(roundCount: next, criticalSum: critical.sum, error: critical.tail))
            spent += critical.tail
            allowed += share * error
            share *= decay
            next = (Int(growth * 100) * next + 99) / 100
        }
        return looks
    }
}
