import Foundation

/// Where a series of measurements became another one.
public struct ChangePoint: Hashable, Sendable {
    /// The first value of the new level.
    public var index: Int
    /// The medians of the levels before and after.
    public var before: Double
    public var after: Double
    /// Of Welch's t test between the two; nil for exact counts.
    public var pValue: Double?

    private static let valuesNeeded = 5
    private static let significance = 0.001

    /// The change points of values that vary, in order: hints for whoever reads a history, and never
    /// a reason to fail.
    ///
    /// The series is split where the energy distance of its parts is greatest, if a t test tells
    /// them apart at .001 and each has 5 values; then the parts are split in the same way. As the
    /// place is chosen before it is tested, 3 % of series of 30 values that are nothing but noise have
    /// a change point.
    ///
    /// Source: Matteson and James, "A nonparametric approach for multiple change point analysis of
    /// multivariate data" (2014), with the t test of Fleming and others, "Hunter" (2023).
    public static func all(in values: [Double]) -> [ChangePoint] {
        split(values[...])
    }

    private static func split(_ values: ArraySlice<Double>) -> [ChangePoint] {
        guard values.count >= 2 * valuesNeeded else { return [] }
        let places = (values.startIndex + valuesNeeded)...(values.endIndex - valuesNeeded)
        let best = places.max { energy(values, at: $0) < energy(values, at: $1) }
        guard let best else { return [] }
        let (before, after) = (values[..<best], values[best...])
        let p = Statistics.welchTest(Array(before), Array(after))
        guard let p, p < significance, let old = Statistics.median(Array(before)),
            let new = Statistics.median(Array(after))
        else { return [] }
        return split(before)
            + [ChangePoint(index: best, before: old, after: new, pValue: p)] + split(after)
    }

    /// nm/(n+m) × (2 E|X−Y| − E|X−X′| − E|Y−Y′|).
    private static func energy(_ values: ArraySlice<Double>, at place: Int) -> Double {
        func meanDistance(_ first: ArraySlice<Double>, _ second: ArraySlice<Double>) -> Double {
            let sum = first.reduce(0) { sum, value in
                second.reduce(sum) { $0 + abs(value - $1) }
            }
            return sum / Double(first.count * second.count)
        }
        let (before, after) = (values[..<place], values[place...])
        let (count, other) = (Double(before.count), Double(after.count))
        return count * other / (count + other)
            * (2 * meanDistance(before, after) - meanDistance(before, before)
                - meanDistance(after, after))
    }
}
