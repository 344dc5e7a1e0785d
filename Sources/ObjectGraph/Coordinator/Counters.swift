import Synchronization

/// Counts of the work of a coordinator and its stores since the last reset.
public struct Counters: Sendable, Hashable, Codable {
    /// SQL statements executed, transaction control included.
    public var statements: Int64 = 0
    /// Rows that SQL statements returned.
    public var rowsRead: Int64 = 0
    /// Faults fired: objects whose values were read when they were first needed.
    public var faultsFired: Int64 = 0
    /// Faults whose values were in the row cache.
    public var rowCacheHits: Int64 = 0
    /// Saves that reached the store.
    public var saves: Int64 = 0
    /// Write transactions committed.
    public var transactions: Int64 = 0
    /// Bytes of pages written to the WAL, or to the file without a WAL.
    public var bytesWritten: Int64 = 0
    /// Sleeps while another connection held a lock.
    public var busyWaits: Int64 = 0
    /// Saves with an optimistic-locking or uniqueness conflict.
    public var conflicts: Int64 = 0
    /// Merges of another context's save into a context.
    public var merges: Int64 = 0
    /// Objects that those merges concerned.
    public var mergedObjects: Int64 = 0

    public init() {}

    /// All of them, by their names.
    package static let all: [(name: String, count: WritableKeyPath<Counters, Int64> & Sendable)] = [
        ("statements", \.statements), ("rowsRead", \.rowsRead), ("faultsFired", \.faultsFired),
        ("rowCacheHits", \.rowCacheHits), ("saves", \.saves), ("transactions", \.transactions),
        ("bytesWritten", \.bytesWritten), ("busyWaits", \.busyWaits), ("conflicts", \.conflicts),
        ("merges", \.merges), ("mergedObjects", \.mergedObjects),
    ]

    /// Adds the counts of another coordinator. Not with `all`, because key paths allocate and stacks
    /// of several coordinators are summed while they are measured.
    package static func += (sum: inout Counters, other: Counters) {
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

/// The counters that SQLite connections do not keep. Relaxed: each counter is exact, but their
/// order is undefined.
final class GraphCounters: Sendable {
    let faultsFired = Atomic<Int64>(0)
    /// Faults whose values were not in the row cache; the others were hits.
    let faultsReadFromStore = Atomic<Int64>(0)
    let saves = Atomic<Int64>(0)
    let conflicts = Atomic<Int64>(0)
    let merges = Atomic<Int64>(0)
    let mergedObjects = Atomic<Int64>(0)

    func reset() {
        faultsFired.store(0, ordering: .relaxed)
        faultsReadFromStore.store(0, ordering: .relaxed)
        saves.store(0, ordering: .relaxed)
        conflicts.store(0, ordering: .relaxed)
        merges.store(0, ordering: .relaxed)
        mergedObjects.store(0, ordering: .relaxed)
    }
}
