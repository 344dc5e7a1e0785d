/// A histogram of latencies from 1 ns to 1 h with three significant digits.
///
/// Recorders of several threads or repetitions merge without loss. Do not share one between threads
/// while recording: give each thread its own and merge them.
public struct LatencyRecorder: Sendable {
    /// A percentile is reported only if at least this many values lie beyond it (measuring §6): the
    /// p99 of 71 requests is just their maximum.
    public static let valuesNeededBeyondPercentile = 10

    private static let hour: UInt64 = 3_600_000_000_000
    private var histogram = LogLinearHistogram(precisionBits: 10)
    private var largest: UInt64 = 0

    public init() {}

    /// Restores the recorder that made the summary, equal to three digits.
    public init(_ summary: LatencySummary) {
        for bucket in summary.buckets.entries {
            histogram.record(min(bucket.nanoseconds, Self.hour), count: bucket.count)
        }
        largest = summary.maxNanoseconds
    }

    public var count: UInt64 { histogram.totalCount }

    /// The exact largest value; `nil` if nothing was recorded.
    public var maxNanoseconds: UInt64? { count == 0 ? nil : largest }

    /// Records one latency. Zero counts as 1 ns, and more than an hour counts as an hour.
    /// ``maxNanoseconds`` keeps the value itself.
    @inline(__always)
    public mutating func record(nanoseconds: UInt64) {
        histogram.record(min(max(nanoseconds, 1), Self.hour))
        largest = max(largest, nanoseconds)
    }

    /// Records the latency of an open-loop operation. It counts from the time at which the
    /// operation was due, not from its start, so that the wait in a queue is included.
    public mutating func record(intendedAt: UInt64, completedAt: UInt64) {
        record(nanoseconds: completedAt > intendedAt ? completedAt - intendedAt : 0)
    }

    public mutating func merge(_ other: LatencyRecorder) {
        guard other.count > 0 else { return }
        histogram.add(other.histogram)
        largest = max(largest, other.largest)
    }

    /// The latency in nanoseconds that the share `quantile` (0…1) of values does not exceed, at
    /// most 0.1 % above the exact one. `nil` unless 10 values lie beyond it.
    public func percentile(_ quantile: Double) -> UInt64? {
        let beyond = Double(count) * (1 - quantile)
        // The slack absorbs the binary rounding error of 1,000 × (1 − 0.99).
        guard beyond + 1e-6 >= Double(Self.valuesNeededBeyondPercentile) else { return nil }
        let rank = UInt64((Double(count) * quantile - 1e-6).rounded(.up))
        return min(histogram.value(ofRank: max(rank, 1)), largest)
    }

    /// How many values lie in each bucket, up to the last one with values. The buckets are those of an
    /// HDR histogram from 1 ns to 1 h with three significant digits.
    public var bucketCounts: [UInt64] { histogram.usedCounts }

    /// The part that `run.json` keeps; `nil` if nothing was recorded.
    public var summary: LatencySummary? {
        guard let maxNanoseconds else { return nil }
        return LatencySummary(
            count: count, p50Nanoseconds: percentile(0.5), p99Nanoseconds: percentile(0.99),
            p999Nanoseconds: percentile(0.999), maxNanoseconds: maxNanoseconds,
            buckets: LatencyBuckets(histogram))
    }
}
