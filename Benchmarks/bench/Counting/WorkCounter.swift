import Benchmarking
import Foundation

/// Counts what happens between two moments in a worker whose job is to count.
struct WorkCounter {
    /// Puts the probes in place; to be called before any database is opened.
    static func install() {
        CountingFileSystem.install()
        StatementCounts.shared.install()
    }

    private let subject: (any CountingSubject)?
    private let totals: [Metric: Int64]
    private let liveBytes: Int
    private let allocations: Int64

    /// Begins to count, also what `subject` counts itself.
    init(_ subject: (any CountingSubject)?) {
        self.subject = subject
        subject?.settle()
        subject?.resetCounters()
        totals = Self.totals()
        liveBytes = Allocator.liveBytes()
        // Last here and first at the end, so that our own are not among them.
        allocations = Allocator.allocationCount()
    }

    /// What happened since, by ``Metric/name``. The probes win over the subject's own counters,
    /// since they see all subjects alike; but of rows that the engine has handed over by a function
    /// SQLite tells none.
    func finish() -> [String: Int64] {
        subject?.settle()
        let allocationsAfter = Allocator.allocationCount()
        let liveBytesAfter = Allocator.liveBytes()
        var counts = subject?.counters ?? [:]
        for (metric, total) in Self.totals()
        where metric != .rowsRead || counts[metric.name] == nil {
            counts[metric.name] = total - totals[metric, default: 0]
        }
        counts[Metric.allocations.name] = allocationsAfter - allocations
        counts[Metric.memoryKept.name] = Int64(liveBytesAfter - liveBytes)
        return counts
    }

    private static func totals() -> [Metric: Int64] {
        let files = CountingFileSystem.counts
        let statements = StatementCounts.shared
        let usage = ProcessProbe.usage()
        return [
            .statements: statements.statements.load(ordering: .relaxed),
            .virtualMachineSteps: statements.steps.load(ordering: .relaxed),
            .rowsRead: statements.rows.load(ordering: .relaxed),
            .pagesRead: files.pagesRead.load(ordering: .relaxed),
            .pagesWritten: files.pagesWritten.load(ordering: .relaxed),
            .walBytes: files.walBytes.load(ordering: .relaxed),
            .syncs: files.syncs.load(ordering: .relaxed),
            .transactions: files.transactions.load(ordering: .relaxed),
            .checkpoints: files.checkpoints.load(ordering: .relaxed),
            .refusedLocks: files.refusedLocks.load(ordering: .relaxed),
            .voluntarySwitches: usage.voluntarySwitches,
            .involuntarySwitches: usage.involuntarySwitches,
        ]
    }
}
