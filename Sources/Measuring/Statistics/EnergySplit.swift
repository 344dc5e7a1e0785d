/// The division of a series into two neighbouring stretches whose distributions differ most.
///
/// The second stretch may end before the series does, so that a later change does not hide an earlier
/// one. Source: Matteson and James, "A nonparametric approach for multiple change point analysis of
/// multivariate data" (2014), equations 5 to 7 with α = 1.
struct EnergySplit: Hashable {
    /// The index of the first value of the second stretch.
    var index: Int
    /// The index after its last value.
    var end: Int
    /// Q: the distance of the stretches' distributions, weighted by their lengths; above 0.
    var divergence: Double

    /// `nil` if the series is too short, or no division has a divergence above 0. Takes n² steps and
    /// n² numbers of memory.
    ///
    /// - Parameter shortest: the least length of a stretch, 2 or more.
    init?(of series: ArraySlice<Double>, shortest: Int) {
        let values = Array(series)
        guard values.count >= 2 * shortest else { return nil }
        let distances = Self.summedDistances(values)
        var best: EnergySplit?
        // Sums of the distances within the first stretch, within the second, and between them.
        var within = 0.0
        for start in 1...(values.count - shortest) {
            within += distances[start - 1][start - 1]
            guard start >= shortest else { continue }
            var (other, between) = (0.0, 0.0)
            for last in start..<values.count {
                between += distances[last][start]
                other += distances[last][last] - distances[last][start]
                let (n, m) = (Double(start), Double(last + 1 - start))
                guard last + 1 - start >= shortest else { continue }
                let divergence =
                    2 / (n + m) * (between - m / (n - 1) * within - n / (m - 1) * other)
                if divergence > best?.divergence ?? 0 {
                    best = EnergySplit(index: start, end: last + 1, divergence: divergence)
                }
            }
        }
        guard let best else { return nil }
        self.init(
            index: series.startIndex + best.index, end: series.startIndex + best.end,
            divergence: best.divergence)
    }

    private init(index: Int, end: Int, divergence: Double) {
        self.index = index
        self.end = end
        self.divergence = divergence
    }

    /// For each value, the sum of its distances from the first k values, for k = 0… up to its index.
    private static func summedDistances(_ values: [Double]) -> [[Double]] {
        values.indices.map { index in
            var sums = [0.0]
            for other in values[..<index] {
                sums.append(sums[sums.count - 1] + abs(other - values[index]))
            }
            return sums
        }
    }
}
