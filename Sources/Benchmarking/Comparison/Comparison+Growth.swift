extension Comparison {
    /// Judges how the cost of a row grows with the number of rows, without any base: a list that is walked for each row makes
    /// the cost of one grow with their number, where a tree or a sort adds no more than a logarithm.
    ///
    /// - Parameter few: what a row costs among few, above 0.
    /// - Parameter many: what one costs among many.
    /// - Parameter limit: how often the one may be the other.
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
