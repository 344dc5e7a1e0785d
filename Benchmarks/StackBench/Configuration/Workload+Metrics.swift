import Measuring

extension Workload {
    /// The metrics that samples may have, so that a rule with an unknown metric is reported before
    /// the run.
    var metricNames: [String] {
        let metrics =
            Metric.wellKnown + Metric.counts + [kind.primaryMetric] + kind.extraMetrics
            + (kind.work == .load ? [.capacity] : [])
        return Set(
            metrics.map(\.name) + latencyNames.withPercentiles + WorkerProcess.metricNames
        ).sorted()
    }

    private var latencyNames: [String] {
        let operations = load?.mix.map(\.operation.rawValue) ?? []
        return kind.latencies
            + operations.flatMap { ["\($0).service", "\($0).intended"] }
    }
}

extension WorkloadKind {
    /// The metrics that not every kind has.
    var ownMetricNames: [String] {
        ([primaryMetric] + extraMetrics).map(\.name) + latencies.withPercentiles
    }
}

extension [String] {
    /// Names of latencies, with those of their percentiles.
    fileprivate var withPercentiles: [String] {
        self + flatMap { name in ["p50", "p99", "p999", "max"].map { "\(name).\($0)" } }
    }
}
