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
    /// Nobody waits for more rounds than these.
    private static let roundCountMax = 300
    /// What a look may spend of the error that those before it have left: the first one half, so that it comes early.
    private static let firstShare = 1.0 / 2
    private static let laterShare = 1.0 / 3

    /// Looks from the first number of rounds that can reject anything, each a quarter of its rounds after the one before,
    /// which together spend at most that error.
    ///
    /// Source: Lan and DeMets (1983), as told by Reboussin, DeMets, Kim and Lan in the guide to their programs: the error is
    /// spent look by look, and a look's critical value follows from what it may spend. Here the errors of looks are
    /// added up, without use of how they depend on each other. The constants were found by simulation: with more looks,
    /// or with less for the early ones, fewer comparisons are decided within 20 rounds.
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
