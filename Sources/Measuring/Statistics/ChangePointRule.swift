/// A place in a series from which on its level is another.
public struct ChangePoint: Hashable, Sendable {
    /// The index of the first value of the new level.
    public var index: Int
    /// The medians of the values before and after it, as far as the neighbouring change points.
    public var before: Double
    public var after: Double
    /// The probability that a series without a change shows one like this; at most 1.
    public var pValue: Double

    public init(index: Int, before: Double, after: Double, pValue: Double) {
        self.index = index
        self.before = before
        self.after = after
        self.pValue = pValue
    }
}

/// What makes a difference between neighbouring stretches of a series a change.
///
/// The places are found by E-divisive: ``EnergySplit`` divides the series, then each part again. As in
/// Hunter, Student's t test decides whether a division is significant, and divisions that are not
/// significant or too small are taken back afterwards, the weakest first. Four things differ from
/// Hunter:
///
/// - Runs off the line are replaced first (``Statistics/withoutOutliers(_:)``), so that they neither
///   make a change nor hide one. A stretch has ``shortestStretch`` values or more.
/// - The p value is multiplied by the number of divisions from which the best one was chosen
///   (Bonferroni), so that `error` holds for a whole series.
/// - The test compares the two stretches that the division was chosen for, not all values before
///   and after it. So no window is needed to find a change that was taken back soon.
/// - Levels are medians.
///
/// Source: Matteson and James, "A nonparametric approach for multiple change point analysis of
/// multivariate data" (2014); Fleming et al., "Hunter: Using change point detection to hunt for
/// performance regressions" (2023).
public struct ChangePointRule: Hashable, Sendable {
    /// The least number of values between two change points.
    public static let shortestStretch = 3
    /// A shorter series cannot show a change.
    public static let shortestSeries = 2 * shortestStretch

    /// The probability, above 0 and below 1, that a series without a change shows one.
    public var error: Double
    /// The largest difference of levels that is no change, as a share of the lower one; 0 or more.
    public var tolerance: Double

    public init(error: Double, tolerance: Double) {
        self.error = error
        self.tolerance = tolerance
    }

    /// The changes of a series, in order.
    public func changePoints(in values: [Double]) -> [ChangePoint] {
        let line = Statistics.withoutOutliers(values)
        guard let first = line.first, line.contains(where: { $0 != first }) else { return [] }
        var places = divisions(of: line)
        while true {
            let points = Self.points(at: places, in: line)
            let weakest = points.indices.filter { !isChange(points[$0]) }
                .max { Self.isStronger(points[$0], than: points[$1]) }
            guard let weakest else { return points }
            places.remove(at: weakest)
        }
    }

    /// The index from which on the newest values are off the line, too few to be a change; `nil` if
    /// the series ends on its line.
    ///
    /// Such values lie on one side of all values since the last change, by more than the tolerance.
    public func unconfirmedStart(in values: [Double], after changes: [ChangePoint]) -> Int? {
        let start = changes.last?.index ?? 0
        let line = Statistics.withoutOutliers(values)
        for count in (1..<Self.shortestStretch).reversed() {
            let (known, newest) = (line[start...].dropLast(count), values.suffix(count))
            guard known.count >= Self.shortestStretch, let lowest = known.min(),
                let highest = known.max()
            else { continue }
            let isAbove = newest.allSatisfy { $0 > highest && isLarge(highest, $0) }
            let isBelow = newest.allSatisfy { $0 < lowest && isLarge(lowest, $0) }
            if isAbove || isBelow { return newest.startIndex }
        }
        return nil
    }

    /// The places at which the best division is significant, in order.
    private func divisions(of values: [Double]) -> [Int] {
        var found: [Int] = []
        var parts = [values[...]]
        while let part = parts.popLast() {
            guard let split = EnergySplit(of: part, shortest: Self.shortestStretch),
                Self.pValue(part[..<split.index], part[split.index..<split.end], of: part.count)
                    <= error
            else { continue }
            found.append(split.index)
            parts += [part[..<split.index], part[split.index...]]
        }
        return found.sorted()
    }

    private static func points(at places: [Int], in values: [Double]) -> [ChangePoint] {
        let ends = [0] + places + [values.count]
        return places.indices.map { number in
            let before = values[ends[number]..<places[number]]
            let after = values[places[number]..<ends[number + 2]]
            return ChangePoint(
                index: places[number], before: Statistics.median(Array(before)) ?? 0,
                after: Statistics.median(Array(after)) ?? 0,
                pValue: pValue(before, after, of: before.count + after.count))
        }
    }

    /// The p value of two stretches that were chosen from so many values.
    private static func pValue(
        _ first: ArraySlice<Double>, _ second: ArraySlice<Double>, of count: Int
    ) -> Double {
        let places = Double(count - 2 * shortestStretch + 1)
        let choices = places * (places + 1) / 2
        return min(1, (Statistics.studentTest(first, second) ?? 1) * choices)
    }

    /// Whether the levels differ, significantly and by more than the tolerance.
    private func isChange(_ point: ChangePoint) -> Bool {
        point.pValue <= error && isLarge(point.before, point.after)
    }

    private func isLarge(_ one: Double, _ other: Double) -> Bool {
        Self.share(one, other) > tolerance
    }

    private static func isStronger(_ one: ChangePoint, than other: ChangePoint) -> Bool {
        guard one.pValue == other.pValue else { return one.pValue < other.pValue }
        return share(one.before, one.after) > share(other.before, other.after)
    }

    /// The difference as a share of the value that is nearer to 0; infinite if that is 0.
    private static func share(_ one: Double, _ other: Double) -> Double {
        one == other ? 0 : abs(one - other) / min(abs(one), abs(other))
    }
}
