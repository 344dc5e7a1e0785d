extension SplitMix64 {
    /// A whole number in `range`, uniform to within one part in 2^64 / count.
    mutating func integer(in range: Range<Int>) -> Int {
        range.lowerBound + Int(next().multipliedFullWidth(by: UInt64(range.count)).high)
    }

    mutating func happens(_ chances: Int, in total: Int) -> Bool {
        integer(in: 0..<total) < chances
    }
}

/// Picks exactly `count` of `total` items in one pass (Knuth, volume 2, algorithm 3.4.2 S).
struct ExactSample {
    private var wanted: Int
    private var remaining: Int

    init(_ count: Int, of total: Int) {
        wanted = count
        remaining = total
    }

    /// Whether the next item is picked.
    mutating func next(using random: inout SplitMix64) -> Bool {
        defer { remaining -= 1 }
        guard random.happens(wanted, in: remaining) else { return false }
        wanted -= 1
        return true
    }
}

/// Draws indices in proportion to their weights.
struct WeightedChoice {
    private let cumulativeWeights: [Int]

    init(_ weights: [Int]) {
        var total = 0
        cumulativeWeights = weights.map { weight in
            total += weight
            return total
        }
    }

    var total: Int { cumulativeWeights[cumulativeWeights.count - 1] }

    /// The index whose share contains `point`, which is in `0..<total`.
    func index(at point: Int) -> Int {
        cumulativeWeights.firstIndex { point < $0 }!
    }

    func next(using random: inout SplitMix64) -> Int {
        index(at: random.integer(in: 0..<total))
    }
}
