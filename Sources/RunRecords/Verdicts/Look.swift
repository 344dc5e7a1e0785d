import Foundation
import Measuring

/// A one-sided test of bounds at all looks together.
struct BoundTest: Sendable {
    /// How many standard deviations of the rounds the mean has to lie beyond a value, at the quick
    /// look, to reject it.
    let quickFactor: Double
    /// Whether the error is large enough for a glance.
    let glances: Bool
    let looks: [Look]

    /// The error of a bound is spent on the quick look and the later ones.
    static let quickShare = 0.25

    /// The tests with these errors, which descend. A test with less error never rejects what one with
    /// more keeps, so its intervals contain those of the other.
    static func all(errors: [Double], quickLook: Int, looks: [Int]) -> [BoundTest] {
        var spenders = errors.map { Look.Spender(left: (1 - quickShare) * $0) }
        var distribution = SignedRankDistribution()
        var tables = errors.map { _ in [Look]() }
        for roundCount in looks {
            distribution.grow(to: roundCount)
            var limit = 1.0
            for index in errors.indices {
                let look = spenders[index].look(
                    after: roundCount, distribution, spendingAtMost: limit)
                tables[index].append(look)
                limit = look.error
            }
        }
        let glance = Glance.error(of: quickLook)
        var tailLimit = 0.5
        return zip(errors, tables).map { error, looks in
            let glances = Glance.isAllowed(after: quickLook, boundError: error)
            let tail = min(quickShare * error - (glances ? glance : 0), tailLimit)
            tailLimit = tail
            let quantile = Statistics.studentQuantile(tail: tail, freedom: Double(quickLook - 1))
            return BoundTest(
                quickFactor: quantile / Double(quickLook).squareRoot(), glances: glances,
                looks: looks)
        }
    }

    /// The interval of those values that Student's t test rejects in neither direction.
    ///
    /// For so small an error the test is conservative for every mixture of normal distributions
    /// around one value, even if each round has another spread. Sources: Benjamini, "Is the t test
    /// really conservative when the parent distribution is long-tailed?" (1983); Ibragimov and
    /// Müller, "t-statistic based correlation and heterogeneity robust inference" (2010).
    ///
    /// Rounds that are all equal say nothing: a value that others rarely interrupt, or one below the
    /// smallest that counts, often comes five times in a row.
    func quickInterval(of rounds: ArraySlice<Double>) -> ClosedRange<Double> {
        let (mean, deviation) = Statistics.meanAndDeviation(rounds)
        guard deviation > 0 else { return -Double.infinity...Double.infinity }
        return (mean - quickFactor * deviation)...(mean + quickFactor * deviation)
    }
}

/// A few rounds that all differ by so much that noise cannot be the cause.
enum Glance {
    /// Each round has to differ by more than a factor of 2.5.
    private static let logRatio = log(2.5)
    /// The assumed probability that noise alone moves a round that far in one direction, without
    /// spreading the rounds by more than ``spread``.
    private static let chance = 0.1
    /// The highest standard deviation, as a share of the mean. Without this limit a few rounds would
    /// decide about a metric with two states, such as memory that grows now and then.
    private static let spread = 0.25

    /// The rounds of the quick look. Fewer than 5 are decided by a machine that is slow for a while.
    ///
    /// - Parameter boundError: the error of the bounds that should have a glance.
    static func roundCount(boundError: Double) -> Int {
        var roundCount = 5
        while !isAllowed(after: roundCount, boundError: boundError) { roundCount += 1 }
        return roundCount
    }

    /// Whether it leaves a quarter of what the bound may spend at the quick look.
    static func isAllowed(after roundCount: Int, boundError: Double) -> Bool {
        error(of: roundCount) <= 3 / 4 * BoundTest.quickShare * boundError
    }

    static func error(of roundCount: Int) -> Double { pow(chance, Double(roundCount)) }

    /// The bounds if the rounds differ obviously; otherwise `nil`.
    static func bounds(of rounds: ArraySlice<Double>) -> ClosedRange<Double>? {
        let (mean, deviation) = Statistics.meanAndDeviation(rounds)
        guard deviation <= spread * abs(mean) else { return nil }
        if rounds.allSatisfy({ $0 > logRatio }) {
            return SequentialDesign.margin.nextUp...Double.infinity
        }
        if rounds.allSatisfy({ $0 < -logRatio }) {
            return -Double.infinity...(-SequentialDesign.margin).nextDown
        }
        return nil
    }
}

/// A number of rounds after which comparisons are evaluated by a signed-rank test.
struct Look: Sendable {
    let roundCount: Int
    /// The W₊ that rejects a value of the ratio; above the highest one if none does.
    let criticalSum: Int
    /// P(W₊ ≥ criticalSum): the error that the look spends.
    let error: Double

    private var averageCount: Int { roundCount * (roundCount + 1) / 2 }

    /// The interval of those values that a signed-rank test of W₊ ≥ criticalSum rejects in neither
    /// direction. Its bounds are Walsh averages of the rounds; it is infinite if none is rejected.
    ///
    /// Source: Tukey, "The simplest signed-rank tests" (1949); Hollander and Wolfe, "Nonparametric
    /// Statistical Methods", §3.2.
    func interval(ofSorted sorted: [Double]) -> ClosedRange<Double> {
        guard criticalSum <= averageCount else { return -Double.infinity...Double.infinity }
        let averages = WalshAverages(sorted)
        let lower = averages.greatest(criticalSum)
        let upper = averages.greatest(averageCount + 1 - criticalSum)
        return min(lower, upper)...max(lower, upper)
    }
}

extension Look {
    /// The largest number of rounds that anyone would wait for.
    private static let roundCountMax = 300

    /// The looks after the quick one. The first has the lowest number of rounds that can reject
    /// anything with this error; each later one has a quarter more rounds than the one before. With
    /// more looks, fewer comparisons were decided within 20 simulated rounds.
    static func roundCounts(after quickLook: Int, error: Double) -> [Int] {
        let spent = Spender.firstShare * (1 - BoundTest.quickShare) * error
        let first = Int((-log2(spent)).rounded(.up))
        return Array(
            sequence(first: max(first, quickLook + 1)) { (5 * $0 + 3) / 4 }
                .prefix { $0 <= roundCountMax })
    }

    /// Spends the error of a test look by look: a look's critical value follows from what it may
    /// spend.
    ///
    /// Source: Lan and DeMets (1983), as described by Reboussin, DeMets, Kim and Lan in the guide
    /// to their programs. The errors of looks are added up; their dependence is not used.
    struct Spender {
        /// The share of the remaining error that the first look that can reject anything may spend,
        /// so that it comes early.
        fileprivate static let firstShare = 1.0 / 2
        private static let laterShare = 1.0 / 3

        private var left: Double
        private var hasSpent = false

        init(left: Double) { self.left = left }

        mutating func look(
            after roundCount: Int, _ distribution: SignedRankDistribution,
            spendingAtMost limit: Double
        ) -> Look {
            let share = hasSpent ? Self.laterShare : Self.firstShare
            let critical = distribution.criticalSum(withTailAtMost: min(share * left, limit))
            left -= critical.tail
            if critical.tail > 0 { hasSpent = true }
            return Look(
                roundCount: roundCount, criticalSum: critical.sum, error: critical.tail)
        }
    }
}
