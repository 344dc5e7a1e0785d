import Measuring

extension Comparison {
    /// Judges every count that is repeatable between runs, in the order of ``Metric/counts``.
    ///
    /// Row cache hits are left out: more of them is neither better nor worse, and misses are
    /// counted as statements.
    ///
    /// - Parameter base: one sample for each counting process.
    public static func exactRows(
        workload: String, cell: String, base: [Sample], head: [Sample]
    ) -> [Comparison] {
        Metric.counts.compactMap { metric in
            guard metric != .rowCacheHits, case .exact(let tolerance) = metric.repeatability
            else { return nil }
            let values = [base, head].map { $0.compactMap { $0.value(of: metric.name) } }
            guard !values.allSatisfy(\.isEmpty) else { return nil }
            return Comparison(
                exact: metric, workload: workload, cell: cell, base: values[0], head: values[1],
                tolerance: tolerance)
        }
    }
}
