/// How far a figure is the same when the same program does the same work again.
public enum Repeatability: Hashable, Sendable {
    /// The same but for this share, 0 for exactly; held against the base without any statistics.
    /// Source: measuring §3.
    case exact(tolerance: Double)
    /// Depends on how threads happened to be scheduled: reported, never judged.
    case scheduled
    /// A time, or memory: judged by many pairs only.
    case measured
}

extension Metric {
    /// Holds for work that one thread does at a time; when threads contend, every count depends on
    /// the schedule.
    public var repeatability: Repeatability {
        func isAmong(_ metrics: [Metric]) -> Bool { metrics.contains { $0.name == name } }
        if isAmong(Self.exactCounts) { return .exact(tolerance: 0) }
        if isAmong(Self.nearlyExactCounts) { return .exact(tolerance: 0.005) }
        return isAmong(Self.scheduledCounts) ? .scheduled : .measured
    }

    /// What one operation does, in the order of reports.
    public static let counts: [Metric] =
        exactCounts + nearlyExactCounts + [.memoryKept] + scheduledCounts

    private static let exactCounts: [Metric] = [
        .statements, .rowsRead, .pagesRead, .pagesWritten, .walBytes, .syncs,
        .transactions, .checkpoints, .faultsFired, .rowCacheHits, .saves, .merges, .mergedObjects,
        .conflicts,
    ]
    /// Steps move with how full the pages happen to be, allocations and instructions with pools that
    /// grow and addresses that are hashed.
    private static let nearlyExactCounts: [Metric] = [
        .virtualMachineSteps, .allocations, .instructions,
    ]
    private static let scheduledCounts: [Metric] = [
        .busyWaits, .refusedLocks, .voluntarySwitches, .involuntarySwitches,
    ]
}
