import Foundation
import Measuring
import RunRecords

/// Divides the cost of a row among many rows by its cost among few. If that is more than the growth
/// of a logarithm, each row walks a list.
///
/// The time is only a hint. ``GrowthPass`` counts the instructions of the same work, and
/// `bench gate` judges them.
enum GrowthWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        guard let path = GrowthPath.named(context.text("path")) else {
            preconditionFailure("The kind's table allows only paths that exist.")
        }
        let counts = GrowthRowCounts(context.job.parameters)
        var verifier = Verifier()
        // Fills caches of types and others: a cost of each process, not of a row.
        try path.run(few, context, &verifier) { try $0() }

        var fewSeconds = 0.0
        try path.run(counts.few, context, &verifier) { work in
            let watch = Stopwatch()
            try marked(work)
            fewSeconds = watch.elapsedSeconds
        }
        var sample: Sample?
        try path.run(counts.many, context, &verifier) { work in
            sample = try context.measure(nil, rowCount: counts.many) { try marked(work) }
        }
        guard var sample else { preconditionFailure("Each path measures once.") }
        let manySeconds = sample[.time] ?? 0
        sample.metrics["costGrowth"] =
            (manySeconds / Double(counts.many)) / (fewSeconds / Double(counts.few))
        return WorkloadOutcome(sample: sample, verification: verifier.verification)
    }

    private static let few = 50

    private static func marked(_ work: () throws -> Void) rethrows {
        GrowthMark.pass()
        try work()
        GrowthMark.pass()
    }
}

/// The number of rows at both sizes.
struct GrowthRowCounts: Sendable, Hashable {
    var few: Int
    var many: Int

    /// - Parameter parameters: the values of the kind's parameters, already checked.
    init(_ parameters: [String: String]) {
        func count(_ name: String) -> Int { parameters[name].flatMap { Int($0) } ?? 0 }
        few = count("fewRows")
        many = count("rows")
    }
}

/// Marks the start and the end of each measured operation for a tool that watches calls.
enum GrowthMark {
    /// Matches the mangled name of the function, for callgrind.
    static let pattern = "*GrowthMark*pass*"

    nonisolated(unsafe) private static var passCount = 0

    /// Counts, because the compiler would remove a call that does nothing.
    // nonisolated(unsafe): one thread measures, and nothing reads the count.
    @inline(never)
    static func pass() { passCount += 1 }
}

extension WorkloadKind {
    static let growth = WorkloadKind(
        name: "growth", summary: "the cost per row with many rows, divided by that with few",
        subjects: [.engine], data: .none, work: .growth,
        parameters: [
            WorkloadParameter(
                name: "path", values: .choice(GrowthPath.all.map(\.name)),
                defaultValue: "insert", summary: "the path through the engine"),
            WorkloadParameter(
                name: "rows", values: .integer(100...1_000_000), defaultValue: "8000",
                summary: "many rows"),
            WorkloadParameter(
                name: "fewRows", values: .integer(100...1_000_000), defaultValue: "1000",
                summary: "few rows"),
        ],
        extraMetrics: [Metric("costGrowth", title: "cost per row, many : few", unit: .ratio)],
        run: GrowthWorkload.run)
}
