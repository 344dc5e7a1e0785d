import Measuring

extension Comparison {
    /// Judges how the cost of a row grows with the number of rows; no base is needed. If the code
    /// walks a list for each row, the cost of a row grows with their number. A tree or a sort adds
    /// no more than a logarithm.
    ///
    /// - Parameter few: the cost of a row among few rows, above 0.
    /// - Parameter many: the cost of a row among many rows.
    /// - Parameter limit: the highest allowed ratio of `many` to `few`.
    public init(
        growthOf metric: Metric, workload: String, cell: String, few: Double, many: Double,
        limit: Double
    ) {
        self.init(
            workload: workload, cell: cell, metric: metric, rule: .growth(limit: limit),
            verdict: many > few * limit ? .regressed : .ok, base: few, head: many,
            ratio: many / few, minimumDetectableEffect: limit - 1)
    }
}
