import Foundation
import Measuring
import RunRecords

/// Measures one row of the engine's speed table: the same work several times in one process. The
/// fastest repetition counts.
///
/// Disturbances only make work slower, so the minimum is far steadier than the mean (``Batches``).
/// The runner also takes subjects in turn.
struct EngineWorkload {
    static let saveSize = 1_000
    static let pageRowCount = 20

    let context: WorkerContext
    let row: EngineRow
    let rowCount: Int

    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        let workload = EngineWorkload(
            context: context, row: context.engineRow, rowCount: context.integer("rows"))
        return try workload.row.measure(workload)
    }

    /// Opens the subject on a fresh copy of the row's store.
    func open(
        isWritten: Bool
    ) throws -> (subject: any EngineSubject, facts: [String: Int64]) {
        try context.openEngine(
            isWritten: isWritten, row.features, tracksHistory: row.tracksHistory)
    }

    func outcome(
        _ sample: Sample, _ check: (inout Verifier) throws -> Void
    ) throws -> WorkloadOutcome {
        var verifier = Verifier()
        try verifier.checkJournal(of: StoreReader(context.storeURL))
        try check(&verifier)
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }
}

extension WorkerContext {
    /// The row that the job names.
    fileprivate var engineRow: EngineRow {
        guard let row = EngineRow.named(text("row")) else {
            preconditionFailure("The kind \(job.kind) declares the rows of the table.")
        }
        return row
    }
}

extension Verifier {
    /// Checks that all batches read the expected items.
    mutating func check(_ checksums: Set<ItemChecksum>, equal expected: ItemChecksum) {
        check("answers", checksums.count, equals: 1)
        for checksum in checksums {
            check("items read", checksum.itemCount, equals: expected.itemCount)
            check(
                "checksum", Int(truncatingIfNeeded: checksum.sum),
                equals: Int(truncatingIfNeeded: expected.sum))
        }
    }
}

extension WorkloadKind {
    static let engine = WorkloadKind(
        name: "engine", summary: "a line of the engine's speed table, beside C and GRDB",
        subjects: [.engine, .peer, .limit],
        data: .own({ $0.engineRow.store(rowCount: $0.integer("rows")) }),
        parameters: [
            WorkloadParameter(
                name: "row",
                values: .choice(EngineRow.all.map(\.name)),
                defaultValue: "fetch-realise", summary: "the line"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "100000",
                summary: "rows of ten columns"),
            WorkloadParameter(
                name: "variant", values: .cases(of: PeerVariant.self), defaultValue: "reference",
                summary: "how a peer inserts: so many rows with a statement in C, records in GRDB;"
                    + " the reference is the fastest way"),
        ],
        extraMetrics: [
            Metric("costGrowth", title: "cost per row, 1,000,000 : 10,000", unit: .ratio),
            Metric("readTime", title: "one read", unit: .nanoseconds),
        ],
        run: EngineWorkload.run)
}
