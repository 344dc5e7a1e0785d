import Measuring
import ObjectGraph

/// A kind of operation that a workload file can name, and its parameters.
///
/// Each kind is declared in the file of its workload and registered in ``all``. The reader of
/// files, the defaults and `bench list` use that declaration.
struct WorkloadKind: Sendable {
    var name: String
    var summary: String
    /// The groups of subjects that it can measure.
    var subjects: Set<Subject.Group>
    /// Whether it works on the flights, so that a file may set their number. Other kinds work on
    /// the items of the engine workload or on entities of their own.
    var usesDataset = true
    /// Whether a sample starts with a store of the flights.
    var startsWithFlights = false
    /// Whether the store is on a server.
    var isOnServer = false
    /// The store that each sample starts with a copy of, if it is not the store of flights. Reads
    /// only the context's job.
    var store: @Sendable (WorkerContext) -> (any SampleStore)? = { _ in nil }
    /// Whether several threads work at once, so that counts depend on their scheduling.
    var isContended = false
    /// Whether a file describes a mix of operations and phases.
    var isLoad = false
    /// Whether a gate judges only how the cost of a row grows.
    var isGrowth = false
    var parameters: [WorkloadParameter]
    /// The metric that ranks the subjects.
    var primaryMetric = Metric.time
    /// Shown beside the well-known metrics.
    var extraMetrics: [Metric] = []
    /// The names of the latencies in a sample. A load also has those of its mix.
    var latencies: [String] = []
    /// Prepares, measures and verifies one sample, in a process of its own.
    var run: @Sendable (WorkerContext) throws -> WorkloadOutcome

    /// Whether the subject can be opened on the data of this kind.
    func admits(_ subject: Subject) -> Bool {
        guard subjects.contains(subject.group) else { return false }
        if isLoad { return subject.openLoad != nil }
        #if PostgreSQL
        if isOnServer { return subject.openServer != nil || subject.openStack != nil }
        #endif
        if usesDataset { return subject.openFlights != nil }
        return subject.openItems != nil || subject.openStack != nil
    }

    /// All kinds. A new kind is registered here only.
    static let all: [WorkloadKind] =
        [
            .importing, .batchInsert, .batchUpdate, .paging, .predicates, .faulting, .aggregates,
            .records, .history, .generations, .blobs, .indexes, .derived, .fullText, .validation,
            .inverse, .delete, .responsiveness, .visibility, .list, .feed, .lookUp, .walk, .remote,
            .migration, .pending, .merge, .duplicates, .deadlocks, .notices, .dangling, .inserted,
            .terms, .elementary, .opening, .load, .engine, .growth,
        ] + onServers

    #if PostgreSQL
    private static let onServers: [WorkloadKind] = [
        .serverEngine, .serverSave, .serverPage, .serverWalk, .serverWriters,
    ]
    #else
    private static let onServers: [WorkloadKind] = []
    #endif

    /// The kinds for `bench run --store`, whose workloads are planned and not read from files.
    static let ofOwnStores: [WorkloadKind] = [
        .storeImport, .storeReaders, .storeRead, .storeWalk, .storeFind, .storeUpdate,
        .storeDelete, .storeInsert,
    ]

    static func named(_ name: String) -> WorkloadKind? {
        (all + ofOwnStores).first { $0.name == name }
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
        summary: "a file, or a SQLite database in memory", stackOnlyValues: ["memory"])
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
        name: "indexes", values: .cases(of: FlightsModel.Indexes.self),
        defaultValue: FlightsModel.Indexes.plain.rawValue,
        summary: "which fetch indexes the flights have; the folded one serves [cd]",
        stackOnlyValues: [FlightsModel.Indexes.folded.rawValue])
}
