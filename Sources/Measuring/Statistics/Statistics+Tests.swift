extension Statistics {
    /// The one-sided p value of the sign test: the probability of at least that many positive
    /// differences if both signs are equally likely. Zeros are left out. `nil` if nothing is left.
    ///
    /// P(X ≥ k), X binomial (n, ½). At n = 20, 16 positive ones have p = .0059.
    public static func signTest(_ differences: [Double]) -> Double? {
        let signs = differences.filter { $0 != 0 }
        guard !signs.isEmpty else { return nil }
        return binomialTail(atLeast: signs.count { $0 > 0 }, of: signs.count)
    }

    /// The largest number of differences for which ``signedRankTest(_:)`` counts all sign
    /// assignments.
    public static let signedRankCountMax = 200

    /// The one-sided exact p value of Wilcoxon's signed-rank test that differences tend to be
    /// positive. Zeros are left out, and ties get their mean rank. `nil` if no value or more than
    /// ``signedRankCountMax`` values are left.
    ///
    /// W₊ is the sum of the ranks of positive differences, ranked by size. p is the share of the 2ⁿ
    /// sign assignments with at least that sum. At n = 20, W₊ = 175 has p = .0037. Source:
    /// Wilcoxon, "Individual comparisons by ranking methods" (1945); zeros are not treated as Pratt
    /// and others propose.
    public static func signedRankTest(_ differences: [Double]) -> Double? {
        let kept = differences.filter { $0 != 0 }.sorted { abs($0) < abs($1) }
        guard !kept.isEmpty, kept.count <= signedRankCountMax else { return nil }
        let ranks = doubledRanks(ofSizes: kept.map(abs))
        let positiveSum = zip(ranks, kept).reduce(0) { $1.1 > 0 ? $0 + $1.0 : $0 }
        var distribution = SignedRankDistribution()
        for rank in ranks { distribution.add(rank: rank) }
        return distribution.tail(atLeast: positiveSum)
    }

    /// Twice the mean rank of each of the sorted sizes, so that tied ranks are whole numbers.
    private static func doubledRanks(ofSizes sizes: [Double]) -> [Int] {
        var ranks: [Int] = []
        while ranks.count < sizes.count {
            let first = ranks.count
            let last = sizes.lastIndex(of: sizes[first]) ?? first
            ranks += Array(repeating: first + last + 2, count: last - first + 1)
        }
        return ranks
    }

    /// The lowest W₊ of `count` differences without ties whose one-sided p value is at most `tail`;
    /// more than the highest sum if there is none. 175 for .004 and n = 20.
    public static func signedRankSum(withTail tail: Double, count: Int) -> Int {
        var distribution = SignedRankDistribution()
        distribution.grow(to: count)
        return distribution.criticalSum(withTailAtMost: tail).sum
    }
}
