/// A histogram of latencies from 1 ns to 1 h with three significant digits.
///
/// Recorders of several threads or repetitions merge without loss. Not to be shared between
/// threads while recording: give each its own and merge.
public struct LatencyRecorder: Sendable {
    /// A percentile is told only when so many values lie beyond it (measuring §6): the p99
    /// of 71 requests is just their maximum.
    public static let valuesNeededBeyondPercentile = 10

    private static let hour: UInt64 = 3_600_000_000_000
    private var histogram = LogLinearHistogram(precisionBits: 10)
    private var largest: UInt64 = 0

    public init() {}

    /// The recorder that gave the summary, equal to it to three digits.
    public init(_ summary: LatencySummary) {
        for bucket in summary.buckets.entries {
            histogram.record(min(bucket.nanoseconds, Self.hour), count: bucket.count)
        }
        largest = summary.maxNanoseconds
    }

    public var count: UInt64 { histogram.totalCount }

    /// The largest value as recorded, exactly; nil when nothing was recorded.
    public var maxNanoseconds: UInt64? { count == 0 ? nil : largest }

    /// Records one latency. Zero counts as 1 ns; more than an hour counts as an hour, while
    /// ``maxNanoseconds`` keeps it as it was.
    @inline(__always)
    public mutating func record(nanoseconds: UInt64) {
        histogram.record(min(max(nanoseconds, 1), Self.hour))
        largest = max(largest, nanoseconds)
    }

    /// Records the latency of an open-loop operation: from the moment at which it was to begin,
    /// not from the one at which it could, so that a queue is not hidden.
    public mutating func record(intendedAt: UInt64, completedAt: UInt64) {
        record(nanoseconds: completedAt > intendedAt ? completedAt - intendedAt : 0)
    }

    public mutating func merge(_ other: LatencyRecorder) {
        guard other.count > 0 else { return }
        histogram.add(other.histogram)
        largest = max(largest, other.largest)
    }

    /// The latency in nanoseconds that the share `quantile` (0…1) of values does not exceed, at
    /// most 0.1 % above the exact one; nil unless 10 values lie beyond it.
    public func percentile(_ quantile: Double) -> UInt64? {
        let beyond = Double(count) * (1 - quantile)
        // The slack forgives what binary fractions do to 1,000 × (1 − 0.99).
        guard beyond + 1e-6 >= Double(Self.valuesNeededBeyondPercentile) else { return nil }
        let rank = UInt64((Double(count) * quantile - 1e-6).rounded(.up))
        return min(histogram.value(ofRank: max(rank, 1)), largest)
    }

    /// What `run.json` keeps; nil when nothing was recorded.
    public var summary: LatencySummary? {
        guard let maxNanoseconds else { return nil }
        return LatencySummary(
            count: count, p50Nanoseconds: percentile(0.5), p99Nanoseconds: percentile(0.99),
            p999Nanoseconds: percentile(0.999), maxNanoseconds: maxNanoseconds,
            buckets: LatencyBuckets(histogram))
    }
}
