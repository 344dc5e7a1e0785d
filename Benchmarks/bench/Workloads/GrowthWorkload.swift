import Benchmarking
import Foundation

/// What a row costs among many, divided by what it costs among few: more than the logarithm of their number is a list that is
/// walked for each row.
///
/// The time here is a hint. ``GrowthPass`` counts the instructions of the same work, and `bench gate` judges these.
enum GrowthWorkload {
    static func run(_ context: WorkerContext) throws -> WorkloadOutcome {
        guard let path = GrowthPath.named(context.text("path")) else {
            preconditionFailure("The kind's table allows only paths that exist.")
        }
        let counts = GrowthRowCounts(context.job.parameters)
        var verifier = Verifier()
        // Caches of types and the like are filled once in a process and are no cost of a row.
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

/// How many rows there are at either size.
struct GrowthRowCounts: Sendable, Hashable {
    var few: Int
    var many: Int

    /// - Parameter parameters: of the kind, whose table has checked them.
    init(_ parameters: [String: String]) {
        func count(_ name: String) -> Int { parameters[name].flatMap { Int($0) } ?? 0 }
        few = count("fewRows")
        many = count("rows")
    }
}

/// The two ends of each measured operation, for a tool that watches calls: nothing else tells it where an operation begins.
enum GrowthMark {
    /// How callgrind knows the function, whose mangled name has these in it.
    static let pattern = "*GrowthMark*pass*"

    nonisolated(unsafe) private static var passCount = 0

    /// Does something, or the compiler would leave the call out.
    // nonisolated(unsafe): one thread measures, and nobody reads it.
    @inline(never)
    static func pass() { passCount += 1 }
}

extension WorkloadKind {
    static let growth = WorkloadKind(
        name: "growth", summary: "what a row costs among many rows, divided by the cost among few",
        subjects: [.engine], usesDataset: false, isGrowth: true,
        parameters: [
            WorkloadParameter(
                name: "path", values: .choice(GrowthPath.all.map(\.name)),
                defaultValue: "insert", summary: "the way through the engine"),
            WorkloadParameter(
                name: "rows", values: .integer(100...1_000_000), defaultValue: "8000",
                summary: "many rows"),
            WorkloadParameter(
                name: "fewRows", values: .integer(100...1_000_000), defaultValue: "1000",
                summary: "few rows"),
        ],
        extraMetrics: [Metric("costGrowth", title: "cost a row, many : few", unit: .ratio)],
        run: GrowthWorkload.run)
}
