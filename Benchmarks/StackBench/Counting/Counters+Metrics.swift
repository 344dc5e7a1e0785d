import Measuring
import ObjectGraph

extension Counters {
    /// By ``Measuring/Metric/name``. Without the bytes of pages, since the metric of that name counts
    /// what the process writes.
    var byMetric: [String: Int64] {
        let counts = Self.all.filter { $0.name != Metric.bytesWritten.name }
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.name, self[keyPath: $0.count]) })
    }
}
