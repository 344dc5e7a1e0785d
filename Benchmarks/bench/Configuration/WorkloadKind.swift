import Benchmarking
import ObjectGraph

/// A kind of operation that a workload file may name, and the parameters that it takes.
///
/// Each is declared in the file of its workload and registered in ``all``: reading a file, its
/// defaults and `bench list` come from that declaration.
struct WorkloadKind: Sendable {
    var name: String
    var summary: String
    /// Who can be measured by it.
    var subjects: Set<Subject.Group>
    /// Whether it works on the flights, and a file may say on how many; else on the items of the engine workload, or on
    /// entities of its own.
    var usesDataset = true
    /// Whether a sample begins with a store that already holds the flights.
    var startsWithFlights = false
    /// The store of which a sample begins with a copy, where it is not of flights; nil where it
    /// begins with nothing. Of the context there is only the job.
    var store: @Sendable (WorkerContext) -> (any SampleStore)? = { _ in nil }
    /// Whether several threads work at once, so that counts depend on how they are scheduled.
    var isContended = false
    /// Whether a file describes a mix of operations and phases.
    var isLoad = false
    /// Whether a gate judges how the cost of a row grows, and nothing else of it.
    var isGrowth = false
    var parameters: [WorkloadParameter]
    /// Ranks the subjects.
    var primaryMetric = Metric.time
    /// Shown beside the well-known metrics.
    var extraMetrics: [Metric] = []
    /// The names of the latencies that a sample has; a load has those of its mix besides.
    var latencies: [String] = []
    /// Prepares, measures and verifies one sample, in a process of its own.
    var run: @Sendable (WorkerContext) throws -> WorkloadOutcome

    /// Whether that subject can be opened on what it works on.
    func admits(_ subject: Subject) -> Bool {
        guard subjects.contains(subject.group) else { return false }
        if isLoad { return subject.openLoad != nil }
        if usesDataset { return subject.openFlights != nil }
        return subject.openItems != nil || subject.openStack != nil
    }

    /// All kinds: the one place where a kind is registered.
    static let all: [WorkloadKind] = [
        .importing, .batchInsert, .batchUpdate, .paging, .predicates, .faulting, .aggregates,
        .records, .pictures, .responsiveness, .visibility, .opening, .load, .engine, .growth,
    ]

    static func named(_ name: String) -> WorkloadKind? {
        all.first { $0.name == name }
    }
}

// Parameters of several kinds.
extension WorkloadParameter {
    static let saveSize = WorkloadParameter(
        name: "saveSize", values: .integer(1...1_000_000), defaultValue: "1000",
        summary: "objects per save")
    static let mode = WorkloadParameter(
        name: "mode", values: .choice(["request", "loop"]), defaultValue: "request",
        summary: "one batch request, or object by object with saves")
    static let store = WorkloadParameter(
        name: "store", values: .choice(["file", "memory"]), defaultValue: "file",
        summary: "where it is: a file, or a SQLite database in memory", stackOnlyValues: ["memory"])
    static let context = WorkloadParameter(
        name: "context", values: .choice(["worker", "batch"]), defaultValue: "worker",
        summary: "in which context a stack imports", stackOnlyValues: ["batch"])
    static let mergePolicy: WorkloadParameter = {
        let names = MergePolicy.Kind.allCases.map { "\($0)" }
        return WorkloadParameter(
            name: "mergePolicy", values: .choice(names), defaultValue: names[0],
            summary: "what a stack's save does about conflicts",
            stackOnlyValues: Set(names.dropFirst()))
    }()
    static let indexes = WorkloadParameter(
        name: "indexes", values: .choice(FlightsModel.Indexes.allCases.map(\.rawValue)),
        defaultValue: FlightsModel.Indexes.plain.rawValue,
        summary: "which fetch indexes the flights have; the folded one serves [cd]",
        stackOnlyValues: [FlightsModel.Indexes.folded.rawValue])
}
