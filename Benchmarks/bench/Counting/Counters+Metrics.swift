import Measuring
import ObjectGraph

extension Counters {
    /// By ``Measuring/Metric/name``.
    var byMetric: [String: Int64] {
        let counts: [(Metric, Int64)] = [
            (.statements, statements), (.rowsRead, rowsRead), (.faultsFired, faultsFired),
            (.rowCacheHits, rowCacheHits), (.saves, saves), (.transactions, transactions),
            (.busyWaits, busyWaits), (.conflicts, conflicts), (.merges, merges),
            (.mergedObjects, mergedObjects),
        ]
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.name, $1) })
    }
}
