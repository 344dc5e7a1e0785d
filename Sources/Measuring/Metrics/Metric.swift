/// A measured quantity: its name, its unit, and which direction is better.
public struct Metric: Codable, Hashable, Sendable {
    /// The key in ``Sample/metrics`` or ``Sample/counters`` and in threshold files.
    public var name: String
    /// The heading of its column in reports.
    public var title: String
    public var unit: MetricUnit
    public var polarity: Polarity

    /// Which direction is an improvement.
    public enum Polarity: String, Codable, Sendable {
        case lowerIsBetter, higherIsBetter
        /// A number that explains others. It is never called better or worse.
        case neither
    }

    /// - Parameter title: `nil` to use the name.
    public init(
        _ name: String, title: String? = nil, unit: MetricUnit,
        polarity: Polarity = .lowerIsBetter
    ) {
        self.name = name
        self.title = title ?? name
        self.unit = unit
        self.polarity = polarity
    }
}

extension Metric {
    public static let time = Metric("time", unit: .seconds)
    public static let cpuTime = Metric("cpuTime", title: "CPU time", unit: .seconds)
    public static let rowsPerSecond = Metric(
        "rowsPerSecond", title: "rows/s", unit: .perSecond, polarity: .higherIsBetter)
    /// The highest resident size of the process during the sample.
    public static let peakMemory = Metric("peakMemory", title: "peak memory", unit: .bytes)
    /// Resident bytes at the peak, minus those before the sample.
    public static let memoryGrowth = Metric("memoryGrowth", title: "memory growth", unit: .bytes)
    /// Bytes allocated and not yet freed, as counted by the allocator.
    public static let liveMemory = Metric("liveMemory", title: "live memory", unit: .bytes)
    public static let statements = Metric("statements", unit: .count, polarity: .neither)
    public static let virtualMachineSteps = Metric(
        "vmSteps", title: "VM steps", unit: .count, polarity: .neither)
    public static let rowsRead = Metric(
        "rowsRead", title: "rows read", unit: .count, polarity: .neither)
    public static let faultsFired = Metric(
        "faultsFired", title: "faults fired", unit: .count, polarity: .neither)
    public static let rowCacheHits = Metric(
        "rowCacheHits", title: "row-cache hits", unit: .count, polarity: .neither)
    public static let saves = Metric("saves", unit: .count, polarity: .neither)
    /// Everything that the process writes; see ``ProcessUsage/writtenBytes``.
    public static let bytesWritten = Metric(
        "bytesWritten", title: "bytes written", unit: .bytes, polarity: .neither)
    public static let syncs = Metric("syncs", unit: .count, polarity: .neither)
    /// Pages read from the database file or the WAL, not from SQLite's page cache.
    public static let pagesRead = Metric(
        "pagesRead", title: "pages read", unit: .count, polarity: .neither)
    /// Pages written to the WAL, and to the database file by checkpoints.
    public static let pagesWritten = Metric(
        "pagesWritten", title: "pages written", unit: .count, polarity: .neither)
    /// Bytes written to the WAL, including the headers of its frames.
    public static let walBytes = Metric(
        "walBytes", title: "WAL", unit: .bytes, polarity: .neither)
    /// Write transactions committed to the WAL.
    public static let transactions = Metric("transactions", unit: .count, polarity: .neither)
    public static let checkpoints = Metric("checkpoints", unit: .count, polarity: .neither)
    /// How often a context merged changes that others saved.
    public static let merges = Metric("merges", unit: .count, polarity: .neither)
    public static let mergedObjects = Metric(
        "mergedObjects", title: "objects merged", unit: .count, polarity: .neither)
    public static let conflicts = Metric("conflicts", unit: .count, polarity: .neither)
    /// Bytes that an operation left allocated: kept or leaked.
    public static let memoryKept = Metric("memoryKept", title: "memory kept", unit: .bytes)
    /// Requests to the allocator by all threads.
    public static let allocations = Metric("allocations", unit: .count, polarity: .neither)
    /// Processor instructions in user mode, as counted by cachegrind.
    public static let instructions = Metric("instructions", unit: .count, polarity: .neither)
    /// Sleeps while another connection held a lock.
    public static let busyWaits = Metric(
        "busyWaits", title: "busy waits", unit: .count, polarity: .neither)
    /// Database locks that SQLite requested but did not get.
    public static let refusedLocks = Metric(
        "refusedLocks", title: "refused locks", unit: .count, polarity: .neither)
    public static let voluntarySwitches = Metric(
        "voluntarySwitches", title: "voluntary switches", unit: .count, polarity: .neither)
    public static let involuntarySwitches = Metric(
        "involuntarySwitches", title: "involuntary switches", unit: .count, polarity: .neither)
    /// The time of the ``NoiseCanary`` beside the sample. It shows the machine's speed, not the
    /// code's.
    public static let canary = Metric("canary", unit: .seconds, polarity: .neither)

    /// The cost of a sample: the whole life of its worker, including preparation and verification.
    public static let sampleSeconds = Metric(
        "sampleSeconds", title: "whole sample", unit: .seconds, polarity: .neither)

    /// The well-known metrics, in the order of the report's columns.
    public static let wellKnown: [Metric] = [
        .time, .rowsPerSecond, .cpuTime, .peakMemory, .memoryGrowth, .liveMemory, .statements,
        .virtualMachineSteps, .rowsRead, .faultsFired, .rowCacheHits, .saves, .bytesWritten, .syncs,
        .involuntarySwitches, .canary,
    ]

    /// Whether it counts from the time at which work was due. For a saturated load, it shows only
    /// how long the load lasted.
    public var isIntended: Bool { name.split(separator: ".").contains("intended") }

    /// The well-known metric with that name. Otherwise a latency percentile such as
    /// "mainQueue.p99", in nanoseconds, or else a count that explains others.
    public static func named(_ name: String) -> Metric {
        let known = wellKnown + counts + [sampleSeconds]
        if let metric = known.first(where: { $0.name == name }) { return metric }
        let percentiles = [".p50", ".p95", ".p99", ".p999", ".max"]
        if percentiles.contains(where: name.hasSuffix) {
            return Metric(name, unit: .nanoseconds)
        }
        return Metric(name, unit: .count, polarity: .neither)
    }
}
