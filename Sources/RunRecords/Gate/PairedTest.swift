import Foundation
import Measuring

/// A ``PairedRule`` with its critical values for a certain number of pairs.
public struct PairedTest: Sendable {
    /// How many equal signs the sign test needs; more than there are pairs if none suffice.
    let signsNeeded: Int
    /// The W₊ that the signed-rank test needs; more than the highest if none suffices.
    let rankSumNeeded: Int
    private let smallestShift: Double

    public init(_ rule: PairedRule, count: Int) {
        signsNeeded =
            (0...count).first {
                Statistics.binomialTail(atLeast: $0, of: count) <= 0.6 * rule.alpha
            } ?? count + 1
        rankSumNeeded = Statistics.signedRankSum(withTail: 0.4 * rule.alpha, count: count)
        smallestShift = log(1 + rule.minimumEffect)
    }

    public func findsSlowdown(in logRatios: [Double]) -> Bool {
        shiftNeeded(for: logRatios) < 0
    }

    /// How much all differences would have to grow for the rule to fire. Negative if it fires
    /// already, infinite with too few differences.
    public func shiftNeeded(for logRatios: [Double]) -> Double {
        shiftNeeded(ofSorted: logRatios.sorted())
    }

    /// The same for differences in ascending order.
    ///
    /// All parts of the rule are thresholds on a shift s. k signs are positive when −s is below the
    /// k-th greatest difference. W₊ is the number of Walsh averages (xᵢ + xⱼ)/2, i ≤ j, above 0, so
    /// that W₊ ≥ w when −s is below the w-th greatest of them. Source: Tukey, "The simplest
    /// signed-rank tests" (1949); Hollander and Wolfe, "Nonparametric Statistical Methods", §3.2.
    public func shiftNeeded(ofSorted sorted: [Double]) -> Double {
        guard let median = Statistics.median(ofSorted: sorted) else { return .infinity }
        let count = sorted.count
        let forEffect = smallestShift - median
        let forSigns = signsNeeded <= count ? -sorted[count - signsNeeded] : .infinity
        // Ranks are by far the most expensive part: used only where they can decide.
        if forSigns <= forEffect || rankSumNeeded > count * (count + 1) / 2 {
            return max(forEffect, forSigns)
        }
        let averages = WalshAverages(sorted)
        if averages.count(above: -forEffect) >= rankSumNeeded { return forEffect }
        if averages.count(above: -forSigns) < rankSumNeeded { return forSigns }
        return -averages.greatest(rankSumNeeded, above: -forSigns, upTo: -forEffect)
    }
}
