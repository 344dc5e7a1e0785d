extension Statistics {
    /// The values with each one that is off the line of its neighbours replaced by their median.
    ///
    /// The neighbours are the five values around it, or the five at an end, so that three of one level
    /// are a line of their own and a step stays where it is. A value is off if its distance from the
    /// median of its neighbours is more than 7.5 times the median of these distances; fewer than one
    /// normal value in 1,000 is. If more than one value in ten is off, there is no line, and all values
    /// stay. So do fewer than five.
    ///
    /// Source: Pearson, "Outliers in process modeling and identification" (2002): the Hampel filter.
    static func withoutOutliers(_ values: [Double]) -> [Double] {
        guard values.count >= 5 else { return values }
        let line = values.indices.map { index in
            let start = min(max(index - 2, 0), values.count - 5)
            return median(Array(values[start..<start + 5])) ?? values[index]
        }
        let distances = zip(values, line).map { abs($0 - $1) }
        let limit = 7.5 * (median(distances) ?? 0)
        let off = distances.indices.filter { distances[$0] > limit }
        guard off.count <= max(1, values.count / 10) else { return values }
        return off.reduce(into: values) { $0[$1] = line[$1] }
    }
}
