import Foundation

/// An interval that contains the median of the distribution in the share `coverage` of experiments.
public struct MedianInterval: Codable, Hashable, Sendable {
    public var lower: Double
    public var upper: Double
    /// The exact probability, 0…1; below the requested confidence with too few values.
    public var coverage: Double
    /// The number of values that it is made from.
    public var count: Int

    /// The interval of the transformed values, for an increasing transformation.
    public func mapped(_ transform: (Double) -> Double) -> MedianInterval {
        MedianInterval(
            lower: transform(lower), upper: transform(upper), coverage: coverage, count: count)
    }
}

extension Statistics {
    /// The narrowest interval between two order statistics, r-th lowest and r-th highest, with at
    /// least the requested confidence. If even the whole range has less, returns that with its true
    /// coverage (n = 5: 93.75 %). `nil` for fewer than 2 values.
    ///
    /// Coverage: 1 − 2 P(X < r) for X binomial (n, ½), exact for any continuous distribution.
    /// Source: David and Nagaraja, "Order Statistics", §7.1. At n = 20 the 5th and the 16th value
    /// have 98.8 %.
    public static func medianInterval(
        _ values: [Double], confidence: Double = 0.95
    ) -> MedianInterval? {
        guard values.count >= 2 else { return nil }
        let sorted = values.sorted()
        var outer = 1
        while 2 * (outer + 1) <= sorted.count,
            coverage(count: sorted.count, rank: outer + 1) >= confidence
        {
            outer += 1
        }
        return MedianInterval(
            lower: sorted[outer - 1], upper: sorted[sorted.count - outer],
            coverage: coverage(count: sorted.count, rank: outer), count: sorted.count)
    }

    /// About how many values decide by their interval, if further values are spread like these.
    /// `nil` if not even 200 do.
    ///
    /// - Parameter isDecided: called with intervals of at least that confidence.
    public static func countNeeded(
        _ values: [Double], confidence: Double, _ isDecided: (MedianInterval) -> Bool
    ) -> Int? {
        var count = values.count + 1
        while count <= 200 {
            let continued = (0..<count).map { values[$0 % values.count] }
            if let interval = medianInterval(continued, confidence: confidence),
                interval.coverage >= confidence, isDecided(interval)
            {
                return count
            }
            count += max(1, count / 10)
        }
        return nil
    }

    /// The smallest number of values whose interval can have that confidence: the interval from the
    /// lowest to the highest of n values misses the median with a probability of 2 · 2⁻ⁿ.
    public static func smallestCount(confidence: Double) -> Int {
        Int(log2(2 / (1 - confidence)).rounded(.up))
    }

    private static func coverage(count: Int, rank: Int) -> Double {
        1 - 2 * (1 - binomialTail(atLeast: rank, of: count))
    }

    /// P(X ≥ k) for X binomial (n, ½); 1 for k ≤ 0, 0 for k > n.
    public static func binomialTail(atLeast successes: Int, of trials: Int) -> Double {
        guard successes > 0 else { return 1 }
        guard successes <= trials else { return 0 }
        // Logarithms, since 2⁻ⁿ is out of the range of `Double` from about n = 1,074.
        var total = 0.0
        for k in successes...trials {
            let logChoose =
                lgamma(Double(trials) + 1) - lgamma(Double(k) + 1) - lgamma(Double(trials - k) + 1)
            total += exp(logChoose - Double(trials) * log(2.0))
        }
        return min(total, 1)
    }
}
