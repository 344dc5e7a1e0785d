/// The averages of all pairs of values, including each value with itself. They are not stored.
public struct WalshAverages {
    /// Few enough to sort.
    private static let fewCandidates = 24
    /// Ends the search: equal averages stay together however narrow the range.
    private static let halvingsMax = 40

    private let sorted: [Double]

    /// - Parameter sorted: the values in ascending order.
    public init(_ sorted: [Double]) {
        self.sorted = sorted
    }

    /// How many averages are above a limit. Walks from both ends: a greater first value never needs
    /// a greater second one.
    public func count(above limit: Double) -> Int {
        let sum = 2 * limit
        var first = sorted.count
        var total = 0
        for index in sorted.indices {
            while first > 0, sorted[index] + sorted[first - 1] > sum { first -= 1 }
            total += sorted.count - max(index, first)
        }
        return total
    }

    public var count: Int { sorted.count * (sorted.count + 1) / 2 }

    /// The share of the averages above a limit.
    public func share(above limit: Double) -> Double {
        Double(count(above: limit)) / Double(count)
    }

    /// The Hodges–Lehmann estimate: less affected by outliers than a mean, and nearly as precise.
    public var median: Double {
        (greatest((count + 1) / 2) + greatest(count / 2 + 1)) / 2
    }

    /// The `rank`-th greatest average, counted from 1.
    public func greatest(_ rank: Int) -> Double {
        greatest(rank, above: -.infinity, upTo: sorted[sorted.count - 1])
    }

    /// The `rank`-th greatest average, counted from 1. Halves the range that contains it until few
    /// averages are left.
    ///
    /// Source: Monahan, "Algorithm 616: fast computation of the Hodges-Lehmann location estimator"
    /// (1984), for the idea of counting instead of listing.
    ///
    /// - Precondition: the range contains it. The lower bound may be infinite.
    public func greatest(_ rank: Int, above lower: Double, upTo upper: Double) -> Double {
        var low = max(lower, sorted[0].nextDown)
        var high = upper
        var countAboveLow = count(above: low)
        var countAboveHigh = count(above: high)
        for _ in 0..<Self.halvingsMax {
            guard countAboveLow - countAboveHigh > Self.fewCandidates else { break }
            let middle = low + (high - low) / 2
            let above = count(above: middle)
            if above >= rank {
                (low, countAboveLow) = (middle, above)
            } else {
                (high, countAboveHigh) = (middle, above)
            }
        }
        let candidates = averages(above: low, upTo: high).sorted()
        return candidates[candidates.count - (rank - countAboveHigh)]
    }

    private func averages(above low: Double, upTo high: Double) -> [Double] {
        var averages: [Double] = []
        averages.reserveCapacity(Self.fewCandidates)
        var first = sorted.count
        var end = sorted.count
        for index in sorted.indices {
            while first > 0, sorted[index] + sorted[first - 1] > 2 * low { first -= 1 }
            while end > 0, sorted[index] + sorted[end - 1] > 2 * high { end -= 1 }
            for other in max(index, first)..<max(end, index, first) {
                averages.append((sorted[index] + sorted[other]) / 2)
            }
        }
        return averages
    }
}
