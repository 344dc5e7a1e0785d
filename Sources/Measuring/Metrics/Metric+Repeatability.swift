/// How repeatable a figure is when the same program does the same work again.
public enum Repeatability: Hashable, Sendable {
    /// The same up to this share; 0 means exactly. Compared with the base without statistics.
    /// Source: measuring §3.
    case exact(tolerance: Double)
    /// The values of one cell lie within 1 %.
    case bounded
    /// Depends on the scheduling of threads: reported, never judged.
    case scheduled
    /// A time, or memory: judged by many pairs only.
    case measured
}

extension Metric {
    /// Valid if one thread works at a time. With contention, every count depends on the schedule.
    public var repeatability: Repeatability {
        func isAmong(_ metrics: [Metric]) -> Bool { metrics.contains { $0.name == name } }
        if isAmong(Self.exactCounts) { return .exact(tolerance: 0) }
        if isAmong(Self.nearlyExactCounts) { return .exact(tolerance: 0.005) }
        if name == Self.bytesWritten.name { return .bounded }
        return isAmong(Self.scheduledCounts) ? .scheduled : .measured
    }

    /// The counts of one operation, in the order of reports.
    public static let counts: [Metric] =
        exactCounts + nearlyExactCounts + [.memoryKept] + scheduledCounts

    private static let exactCounts: [Metric] = [
        .statements, .rowsRead, .pagesRead, .pagesWritten, .walBytes, .syncs,
        .transactions, .checkpoints, .faultsFired, .rowCacheHits, .saves, .merges, .mergedObjects,
        .conflicts,
    ]
    /// VM steps depend on how full the pages are. Allocations and instructions depend on pools that
    /// grow and on hashed addresses.
    private static let nearlyExactCounts: [Metric] = [
        .virtualMachineSteps, .allocations, .instructions,
    ]
    private static let scheduledCounts: [Metric] = [
        .busyWaits, .refusedLocks, .voluntarySwitches, .involuntarySwitches,
    ]
}
