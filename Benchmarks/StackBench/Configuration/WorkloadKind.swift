import Measuring
import ObjectGraph
import Synchronization

/// A kind of operation that a workload file can name, and its parameters.
///
/// Each kind of `bench` is declared in the file of its workload and registered in ``all``; a program
/// adds its own by `Bench.main`. The reader of files, the defaults and `bench list` use that
/// declaration.
public struct WorkloadKind: Sendable {
    var name: String
    var summary: String
    /// The groups of subjects that it can measure.
    var subjects: Set<Subject.Group>
    var data = Data.flights
    var work = Work.alone
    var parameters: [WorkloadParameter]
    /// The metric that ranks the subjects.
    var primaryMetric = Metric.time
    /// Shown beside the well-known metrics.
    var extraMetrics: [Metric] = []
    /// The names of the latencies in a sample. A load also has those of its mix.
    var latencies: [String] = []
    /// Prepares, measures and verifies one sample, in a process of its own.
    var run: @Sendable (WorkerContext) throws -> WorkloadOutcome

    /// The rows that exist before the timed work begins.
    enum Data: Sendable {
        /// Flights in memory. A workload file may set their number.
        case flights
        /// Flights in a store.
        case storedFlights
        /// A store that the kind describes from the context's job; nil for a sample that makes its
        /// stores itself.
        case own(@Sendable (WorkerContext) -> (any SampleStore)?)
        /// None: the sample makes its rows itself.
        case none
        /// A store on a server.
        case onServer
    }

    /// How many threads work, which decides whether counts are exact and how costs are judged.
    enum Work: Sendable {
        /// One thread works, so counts are exact.
        case alone
        /// Several threads work, so counts depend on their scheduling.
        case contended
        /// Several threads work, in the phases and with the mix of operations of a workload file.
        case load
        /// A gate judges only how the cost of a row grows.
        case growth
    }

    var usesDataset: Bool {
        switch data {
        case .flights, .storedFlights: true
        case .own, .none, .onServer: false
        }
    }

    var startsWithFlights: Bool { if case .storedFlights = data { true } else { false } }
    var isContended: Bool { work == .contended || work == .load }

    /// The store that a sample starts with a copy of, if it is not the store of flights.
    func store(_ context: WorkerContext) -> (any SampleStore)? {
        if case .own(let store) = data { store(context) } else { nil }
    }

    /// Whether the subject can be opened on the data of this kind.
    func admits(_ subject: Subject) -> Bool {
        guard subjects.contains(subject.group) else { return false }
        if work == .load { return subject.openLoad != nil }
        switch data {
        case .flights, .storedFlights: return subject.openFlights != nil
        case .own, .none: return subject.openItems != nil || subject.openStack != nil
        case .onServer:
            #if PostgreSQL
            return subject.openServer != nil || subject.openStack != nil
            #else
            return false
            #endif
        }
    }

    /// All kinds. A new kind is registered here only.
    static let all: [WorkloadKind] = own + added.withLock { $0 }

    private static let own: [WorkloadKind] =
        [
            .importing, .batchInsert, .batchUpdate, .paging, .predicates, .faulting, .aggregates,
            .records, .history, .generations, .blobs, .indexes, .derived, .fullText, .validation,
            .inverse, .delete, .responsiveness, .visibility, .list, .feed, .lookUp, .walk, .remote,
            .migration, .pending, .merge, .duplicates, .deadlocks, .notices, .dangling, .inserted,
            .terms, .elementary, .opening, .load, .engine, .growth, .habit,
        ] + onServers

    #if PostgreSQL
    private static let onServers: [WorkloadKind] = [
        .serverEngine, .serverSave, .serverPage, .serverWalk, .serverWriters,
    ]
    #else
    private static let onServers: [WorkloadKind] = []
    #endif

    private static let added = Mutex<[WorkloadKind]>([])

    /// Adds kinds of the program's own. Call it before anything asks for ``all``.
    static func add(_ kinds: [WorkloadKind]) { added.withLock { $0 = kinds } }

    /// The kinds for `bench run --store`, whose workloads are planned and not read from files.
    static let ofOwnStores: [WorkloadKind] = [
        .storeImport, .storeReaders, .storeRead, .storeList, .storeWalk, .storeFind,
        .storeUpdate, .storeDelete, .storeInsert,
    ]

    static func named(_ name: String) -> WorkloadKind? {
        (all + ofOwnStores).first { $0.name == name }
    }
}

extension WorkloadKind {
    /// A kind of a program's own. It measures stacks, and each sample makes its rows itself.
    ///
    /// - Parameters:
    ///   - name: What workload files name it by.
    ///   - summary: What it does, in a few words, for `bench list`.
    ///   - parameters: What workload files may set. `store`, `context`, `history`, `mergePolicy` and
    ///     `variant` are names of `bench`'s own, which stops the process.
    ///   - isContended: Whether several threads work at once, so that counts depend on their
    ///     scheduling and are not judged.
    ///   - primaryMetric: Ranks the stacks, and is what a question compares unless it names another.
    ///   - extraMetrics: Others that samples set in `metrics`, for reports, questions and thresholds.
    ///   - latencies: The names of latencies that samples set. Each gives `NAME.p50`, `.p99`, `.p999`
    ///     and `.max`.
    ///   - run: Prepares, measures and verifies one sample, in a process of its own.
    public init(
        _ name: String, summary: String, parameters: [WorkloadParameter] = [],
        isContended: Bool = false, primaryMetric: Metric = .time, extraMetrics: [Metric] = [],
        latencies: [String] = [],
        run: @escaping @Sendable (WorkerContext) throws -> WorkloadOutcome
    ) {
        let reserved = ["store", "context", "history", "mergePolicy", "variant"]
        if let taken = parameters.map(\.name).first(where: reserved.contains) {
            fatalError("The kind \(name) calls a parameter \(taken), which bench sets; rename it.")
        }
        self.init(
            name: name, summary: summary, subjects: [.stack], data: .none,
            work: isContended ? .contended : .alone, parameters: parameters,
            primaryMetric: primaryMetric, extraMetrics: extraMetrics, latencies: latencies,
            run: run)
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
