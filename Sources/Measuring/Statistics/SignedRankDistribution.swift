/// The exact null distribution of Wilcoxon's W₊: the probability of every sum of positive ranks if
/// both signs are equally likely. Ranks are added one after the other.
public struct SignedRankDistribution {
    /// The probability of each sum, from 0 to the sum of all ranks.
    public private(set) var shares = [1.0]

    /// The number of ranks.
    private var count = 0

    public init() {}

    /// Adds ranks up to `count`, for differences without ties.
    public mutating func grow(to count: Int) {
        while self.count < count { add(rank: self.count + 1) }
    }

    public mutating func add(rank: Int) {
        count += 1
        var grown = [Double](repeating: 0, count: shares.count + rank)
        for sum in shares.indices {
            let half = shares[sum] / 2
            grown[sum] += half
            grown[sum + rank] += half
        }
        shares = grown
    }

    /// P(W₊ ≥ sum).
    public func tail(atLeast sum: Int) -> Double {
        shares[sum...].reduce(0, +)
    }

    /// The lowest sum whose tail is at most `limit`, and that tail. If there is none, one more than
    /// the highest sum, and 0.
    public func criticalSum(withTailAtMost limit: Double) -> (sum: Int, tail: Double) {
        var sum = shares.count
        var tail = 0.0
        while sum > 0, tail + shares[sum - 1] <= limit {
            sum -= 1
            tail += shares[sum]
        }
        return (sum, tail)
    }
}
