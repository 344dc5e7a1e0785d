import Foundation

/// A few rounds that all differ by so much that noise cannot be the cause.
struct Glance {
    /// Each round has to differ by more than a factor of 2.5.
    static let logRatio = log(2.5)
    /// The assumed probability that noise alone moves a round that far in one direction. Of 472
    /// recorded rounds, none was off by a factor of 2.
    private static let chance = 0.1
    /// The part of a bound's error that the glance may spend.
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

/// A number of rounds after which comparisons are evaluated.
struct Look: Sendable {
    let roundCount: Int
    /// The W₊ that rejects a value of the ratio.
    let criticalSum: Int
    /// P(W₊ ≥ criticalSum): the error that the look spends.
    let error: Double

    private var averageCount: Int { roundCount * (roundCount + 1) / 2 }

    /// The share of the Walsh averages that must lie on one side of a value to reject it.
    var shareNeeded: Double { Double(criticalSum) / Double(averageCount) }

    /// The interval of those values that a signed-rank test of W₊ ≥ criticalSum rejects in neither
    /// direction. Its bounds are Walsh averages of the rounds.
    ///
    /// Source: Tukey, "The simplest signed-rank tests" (1949); Hollander and Wolfe, "Nonparametric
    /// Statistical Methods", §3.2.
    func interval(ofSorted sorted: [Double]) -> ClosedRange<Double> {
        let averages = WalshAverages(sorted)
        let lower = averages.greatest(criticalSum)
        let upper = averages.greatest(averageCount + 1 - criticalSum)
        return min(lower, upper)...max(lower, upper)
    }
}

extension Look {
    /// The largest number of rounds that anyone would wait for.
    private static let roundCountMax = 300
    /// The share of the remaining error that a look may spend. The first look gets one half, so
    /// that it comes early.
    private static let firstShare = 1.0 / 2
    private static let laterShare = 1.0 / 3

    /// The looks that together spend at most `error`. The first look has the lowest number of
    /// rounds that can reject anything; each later one has a quarter more rounds than the one
    /// before.
    ///
    /// Source: Lan and DeMets (1983), as described by Reboussin, DeMets, Kim and Lan in the guide
    /// to their programs. The error is spent look by look, and a look's critical value follows from
    /// what it may spend. Here the errors of looks are added up; their dependence is not used. The
    /// constants were found by simulation: with more looks, or with less error for the early ones,
    /// fewer comparisons are decided within 20 rounds.
    static func table(error: Double) -> [Look] {
        var looks: [Look] = []
        var distribution = SignedRankDistribution()
        var left = error
        var roundCount = Int((-log2(firstShare * error)).rounded(.up))
        while roundCount <= roundCountMax {
            distribution.grow(to: roundCount)
            let share = looks.isEmpty ? firstShare : laterShare
            let critical = distribution.criticalSum(withTailAtMost: share * left)
            looks.append(
                Look(roundCount: roundCount, criticalSum: critical.sum, error: critical.tail))
            left -= critical.tail
            roundCount = (5 * roundCount + 3) / 4
        }
        return looks
    }
}
