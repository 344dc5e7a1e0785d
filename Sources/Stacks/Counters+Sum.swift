import ObjectGraph

extension Counters {
    /// Adds the counts of another coordinator.
    static func += (sum: inout Counters, other: Counters) {
        sum.statements += other.statements
        sum.rowsRead += other.rowsRead
        sum.faultsFired += other.faultsFired
        sum.rowCacheHits += other.rowCacheHits
        sum.saves += other.saves
        sum.transactions += other.transactions
        sum.bytesWritten += other.bytesWritten
        sum.busyWaits += other.busyWaits
        sum.conflicts += other.conflicts
        sum.merges += other.merges
        sum.mergedObjects += other.mergedObjects
    }
}
