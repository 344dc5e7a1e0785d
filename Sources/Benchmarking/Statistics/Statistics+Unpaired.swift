import Foundation

/// For runs that were not made together. Machines drift, so none of this may decide a gate.
extension Statistics {
    /// The two-sided p value of the Wilcoxon–Mann–Whitney test that neither group tends to be
    /// higher; nil when a group is empty or all values are equal.
    ///
    /// From the normal distribution, with correction for ties and continuity: for groups of 5 it is
    /// at worst .004 above the exact value. Source: Mann and Whitney (1947); Lehmann,
    /// "Nonparametrics", §1.4.
    public static func rankSumTest(_ first: [Double], _ second: [Double]) -> Double? {
        let all = (first + second).sorted()
        let count = Double(all.count)
        guard !first.isEmpty, !second.isEmpty, all.first != all.last else { return nil }
        let ranks = meanRanks(ofSorted: all)
        let rankSum = first.reduce(0) { $0 + (ranks[$1] ?? 0) }
        let product = Double(first.count) * Double(second.count)
        let expected = Double(first.count) * (count + 1) / 2
        let ties = Dictionary(grouping: all, by: \.self).values.reduce(0.0) {
            let size = Double($1.count)
            return $0 + size * (size * size - 1)
        }
        let variance = product / 12 * (count + 1 - ties / (count * (count - 1)))
        let distance = max(0, abs(rankSum - expected) - 0.5) / variance.squareRoot()
        return erfc(distance / 2.0.squareRoot())
    }

    private static func meanRanks(ofSorted values: [Double]) -> [Double: Double] {
        var ranks: [Double: Double] = [:]
        var first = 0
        while first < values.count {
            var last = first
            while last + 1 < values.count, values[last + 1] == values[first] { last += 1 }
            ranks[values[first]] = Double(first + last + 2) / 2
            first = last + 1
        }
        return ranks
    }

    /// The percentile bootstrap of median(values) / median(reference): each group is drawn anew with
    /// replacement 10,000 times. Nil with fewer than 3 values in a group or one that is not above 0.
    ///
    /// Source: Efron and Tibshirani, "An Introduction to the Bootstrap", §13.
    static func bootstrapRatio(
        of values: [Double], to reference: [Double], confidence: Double = 0.95, seed: UInt64
    ) -> MedianInterval? {
        guard min(values.count, reference.count) >= 3, (values + reference).allSatisfy({ $0 > 0 })
        else { return nil }
        var generator = SeededGenerator(seed: seed)
        func redrawnMedian(_ group: [Double]) -> Double {
            let drawn = group.map { _ in group[Int.random(in: group.indices, using: &generator)] }
            return median(ofSorted: drawn.sorted()) ?? 0
        }
        let ratios = (0..<10_000).map { _ in redrawnMedian(values) / redrawnMedian(reference) }
        guard let lower = quantile(ratios, (1 - confidence) / 2),
            let upper = quantile(ratios, (1 + confidence) / 2)
        else { return nil }
        return MedianInterval(
            lower: lower, upper: upper, coverage: confidence,
            count: min(values.count, reference.count))
    }

    /// Which of several findings remain when the expected share of false ones among them is to be at
    /// most `rate`: those up to the highest k-th smallest p value ≤ rate × k / n.
    ///
    /// Source: Benjamini and Hochberg, "Controlling the false discovery rate" (1995).
    public static func discoveries(_ pValues: [Double], rate: Double = 0.05) -> [Bool] {
        let sorted = pValues.sorted()
        let limit = sorted.indices.last {
            sorted[$0] <= rate * Double($0 + 1) / Double(sorted.count)
        }
        guard let limit else { return pValues.map { _ in false } }
        return pValues.map { $0 <= sorted[limit] }
    }
}
