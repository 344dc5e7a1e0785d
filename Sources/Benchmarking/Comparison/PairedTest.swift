import Foundation

/// A ``PairedRule`` for a certain number of pairs, with its critical values looked up.
struct PairedTest: Sendable {
    /// The equal signs that the sign test asks for; more than there are pairs where none suffice.
    let signsNeeded: Int
    /// The W₊ that the signed-rank test asks for; more than the highest where none suffices.
    let rankSumNeeded: Int
    private let smallestShift: Double

    init(_ rule: PairedRule, count: Int) {
        signsNeeded =
            (0...count).first {
                Statistics.binomialTail(atLeast: $0, of: count) <= 0.6 * rule.alpha
            } ?? count + 1
        rankSumNeeded = Statistics.signedRankSum(withTail: 0.4 * rule.alpha, count: count)
        smallestShift = log(1 + rule.minimumEffect)
    }

    func findsSlowdown(in logRatios: [Double]) -> Bool {
        shiftNeeded(for: logRatios) < 0
    }

    /// How much all differences would have to grow for the rule to fire, below 0 when it fires as
    /// they are; infinite when there are too few.
    ///
    /// All parts of the rule are thresholds on a shift s. k signs are positive when −s is below the
    /// k-th greatest difference. W₊ is the number of Walsh averages (xᵢ + xⱼ)/2, i ≤ j, above 0, so
    /// that W₊ ≥ w when −s is below the w-th greatest of them. Source: Tukey, "The simplest
    /// signed-rank tests" (1949); Hollander and Wolfe, "Nonparametric Statistical Methods", §3.2.
    func shiftNeeded(for logRatios: [Double]) -> Double {
        let sorted = logRatios.sorted(by: >)
        guard let median = Statistics.median(ofSorted: sorted) else { return .infinity }
        let forEffect = smallestShift - median
        let forSigns = signsNeeded <= sorted.count ? -sorted[signsNeeded - 1] : .infinity
        // Only where the ranks could decide: they are by far the dearest.
        if forSigns <= forEffect { return forEffect }
        return max(forEffect, min(forSigns, shiftForRanks(sorted)))
    }

    private func shiftForRanks(_ sorted: [Double]) -> Double {
        let count = sorted.count
        guard rankSumNeeded <= count * (count + 1) / 2 else { return .infinity }
        var averages: [Double] = []
        averages.reserveCapacity(count * (count + 1) / 2)
        for first in sorted.indices {
            for second in first..<count { averages.append((sorted[first] + sorted[second]) / 2) }
        }
        return -Self.greatest(rankSumNeeded, of: &averages)
    }

    /// The k-th greatest value, without sorting all. Source: Hoare, "Algorithm 65: Find" (1961).
    private static func greatest(_ rank: Int, of values: inout [Double]) -> Double {
        var first = 0
        var last = values.count - 1
        while first < last {
            let pivot = values[(first + last) / 2]
            var left = first
            var right = last
            while left <= right {
                while values[left] > pivot { left += 1 }
                while values[right] < pivot { right -= 1 }
                if left <= right {
                    values.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if rank - 1 <= right {
                last = right
            } else if rank - 1 >= left {
                first = left
            } else {
                return values[rank - 1]
            }
        }
        return values[rank - 1]
    }
}
