import Measuring
import RunRecords

/// What a cell has of one metric: the median of its samples, or the count of one operation.
struct Figure {
    let metric: Metric
    let statistic: Statistic
    /// The values behind it, in the order of the samples.
    let values: [Double]
    /// In the metric's unit.
    let value: Double
    /// Of a median; `nil` for a count and for a single value. With fewer than six values it has less
    /// than 95 %; see ``MedianInterval/coverage``.
    let interval: MedianInterval?

    enum Statistic: String {
        case median
        /// Taken once, or the same in every sample, so that it needs no median.
        case count
    }
}

extension WorkloadResult {
    /// The figures of one of its cells, the well-known metrics first.
    func figures(of cell: CellResult) -> [Figure] {
        let names = Metric.ordered((cell.samples + [cell.counts].compactMap(\.self)).valueNames)
        return names.compactMap { name in
            let metric = metric(named: name)
            let values = reportedValues(of: name, in: cell)
            guard let median = Statistics.median(values) else { return nil }
            let isCount =
                isCountedApart(name, in: cell) || metric.isExactCount && Set(values).count == 1
            return Figure(
                metric: metric, statistic: isCount ? .count : .median, values: values,
                value: median, interval: isCount ? nil : Statistics.medianInterval(values))
        }
    }
}

extension Metric {
    /// Whether it is a count that is always the same for the same work.
    fileprivate var isExactCount: Bool {
        if case .exact = repeatability { true } else { false }
    }
}
