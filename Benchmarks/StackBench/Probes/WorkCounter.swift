import Foundation
import Measuring

/// Counts the work of a counting worker between two moments.
struct WorkCounter {
    /// Installs the probes. Call this before any database is opened.
    static func install() {
        CountingFileSystem.install()
        StatementCounts.shared.install()
    }

    private let subject: (any CountingSubject)?
    private let totals: [Metric: Int64]
    private let liveBytes: Int
    private let allocations: Int64

    /// Starts to count, and resets the counters of `subject`.
    init(_ subject: (any CountingSubject)?) {
        self.subject = subject
        subject?.settle()
        subject?.resetCounters()
        totals = Self.totals()
        liveBytes = Allocator.liveBytes()
        // Last here and first in `finish()`, so that the counter's own allocations are left out.
        allocations = Allocator.allocationCount()
    }

    /// The counts since the start, by ``Metric/name``. Probes replace the subject's own counters,
    /// since they count all subjects alike. Two are kept: a subject's own `rowsRead`, since SQLite
    /// does not report rows that the engine's SQL function hands over, and its own `statements` if
    /// they are more, since SQLite reports as one statement all look-ups that share a run.
    func finish() -> [String: Int64] {
        subject?.settle()
        let allocationsAfter = Allocator.allocationCount()
        let liveBytesAfter = Allocator.liveBytes()
        var counts = subject?.counters ?? [:]
        for (metric, total) in Self.totals() {
            let count = total - totals[metric, default: 0]
            switch metric {
            case .rowsRead: counts[metric.name] = counts[metric.name] ?? count
            case .statements: counts[metric.name] = max(counts[metric.name] ?? 0, count)
            default: counts[metric.name] = count
            }
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
