import Foundation

/// For samples that were not taken in pairs. ``NegativeControls`` shows that this is wrong.
extension Statistics {
    /// The two-sided p value of the Wilcoxon–Mann–Whitney test that neither group tends to be
    /// higher. `nil` if a group is empty or all values are equal.
    ///
    /// Uses the normal distribution, corrected for ties and continuity. For groups of 5 it is at
    /// worst .004 above the exact value. Source: Mann and Whitney (1947); Lehmann,
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
}
