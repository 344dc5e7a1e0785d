import Benchmarking

/// A kind of operation that a workload file may name, and the parameters that it takes.
///
/// This table is the one place that says so: reading a file, its defaults and `bench list` all
/// come from it. What the kind does is registered under its name in ``Workloads``.
struct WorkloadKind: Sendable {
    var name: String
    var summary: String
    /// Who can be measured by it.
    var subjects: Set<Subject.Group>
    /// Whether it works on the flights, and a file may say on how many.
    var usesDataset = true
    /// Whether a sample begins with a store that already holds the flights.
    var startsWithFlights = false
    /// Whether several threads work at once, so that counts depend on how they are scheduled.
    var isContended = false
    var parameters: [WorkloadParameter]
    /// Ranks the subjects.
    var primaryMetric = Metric.time
    /// Shown beside the well-known metrics.
    var extraMetrics: [Metric] = []

    /// Whether the store is copied from a prepared one: not for questions about unsaved objects.
    func needsPreparedStore(for parameters: [String: String]) -> Bool {
        startsWithFlights && parameters["place"] != "memory"
    }

    static func named(_ name: String) -> WorkloadKind? {
        all.first { $0.name == name }
    }

    static let all = [
        importing, batchInsert, batchUpdate, paging, predicates, faulting, responsiveness, load,
        engine,
    ]

    private static let saveSize = WorkloadParameter(
        name: "saveSize", values: .integer(1...1_000_000), defaultValue: "1000",
        summary: "objects per save")
    private static let mode = WorkloadParameter(
        name: "mode", values: .choice(["request", "loop"]), defaultValue: "request",
        summary: "one batch request, or object by object with saves")
    private static let hasIndexes = WorkloadParameter(
        name: "hasIndexes", values: .choice(["true", "false"]), defaultValue: "true",
        summary: "whether the model's fetch indexes are made")

    static let importing = WorkloadKind(
        name: "import", summary: "insert every table with all relationships resolved",
        subjects: [.stack, .peer], parameters: [saveSize, hasIndexes])

    static let batchInsert = WorkloadKind(
        name: "batch-insert", summary: "insert flights without relationships",
        subjects: [.stack, .peer],
        parameters: [
            mode, saveSize,
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "100000",
                summary: "flights inserted; the data set's, over again when they run out"),
        ])

    static let batchUpdate = WorkloadKind(
        name: "batch-update", summary: "add a minute to the delay of every flight that departed",
        subjects: [.stack, .peer], startsWithFlights: true, parameters: [mode, saveSize])

    static let paging = WorkloadKind(
        name: "paging", summary: "read flights in the order of their distance, a batch at a time",
        subjects: [.stack, .peer], startsWithFlights: true,
        parameters: [
            WorkloadParameter(
                name: "fetchBatchSize", values: .integer(0...100_000), defaultValue: "0",
                summary: "rows per batch, 0 for all at once"),
            WorkloadParameter(
                name: "extent", values: .choice(["first-page", "whole"]), defaultValue: "whole",
                summary: "the first \(PagingWorkload.firstPageRowCount) rows or all of them"),
        ])

    static let predicates = WorkloadKind(
        name: "predicates", summary: "count and sum the flights that match a predicate",
        subjects: [.stack, .peer], startsWithFlights: true,
        parameters: [
            WorkloadParameter(
                name: "question", values: .choice(PredicateQuestion.all.map(\.id)),
                defaultValue: PredicateQuestion.all[0].id, summary: "which predicate"),
            hasIndexes,
            WorkloadParameter(
                name: "place", values: .choice(["sql", "memory"]), defaultValue: "sql",
                summary: "asked of the store, or of objects that are not saved yet",
                stackOnlyValues: ["memory"]),
        ])

    static let faulting = WorkloadKind(
        name: "faulting", summary: "fetch flights in one form, then touch a share of them",
        subjects: [.stack], startsWithFlights: true,
        parameters: [
            WorkloadParameter(
                name: "mode",
                values: .choice([
                    "faults-only", "default", "objects", "prefetch", "dictionary", "ids",
                ]),
                defaultValue: "default", summary: "the form in which the flights are fetched"),
            WorkloadParameter(
                name: "touch", values: .choice(["0", "10", "100"]), defaultValue: "0",
                summary: "percent of the objects whose properties are read afterwards"),
        ],
        extraMetrics: [
            Metric("fetchTime", title: "of it fetching", unit: .seconds),
            Metric("touchTime", title: "of it touching", unit: .seconds),
            Metric(
                "touchStatements", title: "statements touching", unit: .count, polarity: .neither),
        ])

    static let responsiveness = WorkloadKind(
        name: "responsiveness",
        summary: "how late the main queue is while an import runs in the background",
        subjects: [.stack], isContended: true,
        parameters: [
            saveSize,
            WorkloadParameter(
                name: "heartbeatIntervalMilliseconds", values: .integer(1...1_000),
                defaultValue: "4", summary: "time between beats of the main queue"),
            WorkloadParameter(
                name: "readerIntervalMilliseconds", values: .integer(1...10_000),
                defaultValue: "50", summary: "time between fetches by the view context"),
        ],
        primaryMetric: Metric("mainQueue.p99", title: "main queue p99", unit: .nanoseconds),
        extraMetrics: [
            Metric("mainQueue.p50", title: "main queue p50", unit: .nanoseconds),
            Metric("mainQueue.max", title: "main queue longest", unit: .nanoseconds),
            Metric("reader.p50", title: "reader p50", unit: .nanoseconds),
            Metric("reader.max", title: "reader longest", unit: .nanoseconds),
        ])

    static let load = WorkloadKind(
        name: "load", summary: "writers and readers at once, in closed and open phases",
        subjects: [.stack, .peer, .selftest], usesDataset: false, isContended: true,
        parameters: [
            WorkloadParameter(
                name: "writers", values: .integer(0...64), defaultValue: "1",
                summary: "clients that insert, update and delete"),
            WorkloadParameter(
                name: "readers", values: .integer(0...64), defaultValue: "1",
                summary: "clients that read; the first one of a stack in its view"),
            WorkloadParameter(
                name: "writersShareKeys", values: .choice(["true", "false"]),
                defaultValue: "false", summary: "whether writers update the same items"),
            WorkloadParameter(
                name: "rows", values: .integer(1...1_000_000), defaultValue: "10000",
                summary: "items that are there from the beginning"),
            WorkloadParameter(
                name: "saveSize", values: .integer(1...10_000), defaultValue: "1",
                summary: "items per insert, update or delete, each of which is a save"),
        ],
        primaryMetric: .capacity,
        extraMetrics: [
            .offeredRate, .achievedRate, .saturated, .unserved,
            Metric("conflicts", unit: .count),
            Metric("lostUpdates", title: "lost updates", unit: .count),
            Metric("staleReads", title: "stale reads", unit: .count),
            Metric("undeliveredMerges", title: "undelivered merges", unit: .count),
        ])

    static let engine = WorkloadKind(
        name: "engine", summary: "a line of the engine's speed table, beside C and GRDB",
        subjects: [.engine, .peer], usesDataset: false,
        parameters: [
            WorkloadParameter(
                name: "row",
                values: .choice([
                    "fetch-realise", "fetch-one-integer", "fetch-memory", "insert",
                    "batch-insert", "update", "batch-update", "fault", "growth-fetch",
                    "growth-insert",
                ]),
                defaultValue: "fetch-realise", summary: "the line"),
            WorkloadParameter(
                name: "rows", values: .integer(1...10_000_000), defaultValue: "100000",
                summary: "rows of ten columns"),
        ],
        extraMetrics: [
            Metric("costGrowth", title: "cost a row, 1,000,000 : 10,000", unit: .ratio)
        ])
}
