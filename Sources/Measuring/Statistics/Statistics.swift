import Foundation

/// Statistics as pure functions. Each names its formula, and returns `nil` with too few values,
/// never 0 or NaN.
public enum Statistics {
    /// The middle value, or the mean of the two middle ones; `nil` without values.
    public static func median(_ values: [Double]) -> Double? {
        quantile(values, 0.5)
    }

    /// The value below which the share `probability` (0…1) of values lies, interpolated linearly
    /// between order statistics at (n − 1)p. `nil` without values.
    ///
    /// Source: type 7 of Hyndman and Fan, "Sample quantiles in statistical packages" (1996).
    public static func quantile(_ values: [Double], _ probability: Double) -> Double? {
        guard !values.isEmpty, (0...1).contains(probability) else { return nil }
        let sorted = values.sorted()
        let position = Double(sorted.count - 1) * probability
        let below = Int(position)
        let above = min(below + 1, sorted.count - 1)
        let share = position - Double(below)
        return sorted[below] + share * (sorted[above] - sorted[below])
    }

    /// The median of sorted values, ascending or descending; `nil` without values.
    public static func median(ofSorted sorted: [Double]) -> Double? {
        guard !sorted.isEmpty else { return nil }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The median distance from the median, not scaled. `nil` without values, 0 for one value.
    public static func medianAbsoluteDeviation(_ values: [Double]) -> Double? {
        guard let middle = median(values) else { return nil }
        return median(values.map { abs($0 - middle) })
    }

    /// The standard deviation of normal values with the same median absolute deviation. `nil`
    /// without values.
    public static func spread(_ values: [Double]) -> Double? {
        medianAbsoluteDeviation(values).map { 1.48 * $0 }
    }

    /// The mean and the sample's standard deviation of two values or more.
    public static func meanAndDeviation(
        _ values: ArraySlice<Double>
    ) -> (mean: Double, deviation: Double) {
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (mean, (squares / Double(values.count - 1)).squareRoot())
    }

    /// The mean of the values without the ⌊n × share⌋ lowest and highest; `nil` without values or
    /// for a share outside 0..<0.5.
    public static func trimmedMean(_ values: [Double], share: Double = 0.2) -> Double? {
        guard !values.isEmpty, (0..<0.5).contains(share) else { return nil }
        let cut = Int(Double(values.count) * share)
        let kept = values.sorted()[cut..<(values.count - cut)]
        return kept.reduce(0, +) / Double(kept.count)
    }
}
