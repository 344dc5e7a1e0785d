/// The latencies of one sample: the percentiles worth reporting, and the buckets. A
/// ``LatencyRecorder`` can be restored from the buckets to merge samples.
public struct LatencySummary: Codable, Hashable, Sendable {
    public var count: UInt64
    /// `nil` with fewer than 20 values; see ``LatencyRecorder/valuesNeededBeyondPercentile``.
    public var p50Nanoseconds: UInt64?
    /// `nil` with fewer than 1,000 values.
    public var p99Nanoseconds: UInt64?
    /// `nil` with fewer than 10,000 values.
    public var p999Nanoseconds: UInt64?
    public var maxNanoseconds: UInt64
    public var buckets: LatencyBuckets

    public init(
        count: UInt64, p50Nanoseconds: UInt64?, p99Nanoseconds: UInt64?, p999Nanoseconds: UInt64?,
        maxNanoseconds: UInt64, buckets: LatencyBuckets
    ) {
        self.count = count
        self.p50Nanoseconds = p50Nanoseconds
        self.p99Nanoseconds = p99Nanoseconds
        self.p999Nanoseconds = p999Nanoseconds
        self.maxNanoseconds = maxNanoseconds
        self.buckets = buckets
    }
}

/// The non-empty buckets of a histogram, written as "1023x4 2048x1": nanoseconds, then their count.
/// They are one string, so that `run.json` stays readable.
public struct LatencyBuckets: Hashable, Sendable {
    public var entries: [Entry]

    /// A latency, and how many were about that long.
    public struct Entry: Hashable, Sendable {
        public var nanoseconds: UInt64
        public var count: UInt64

        public init(nanoseconds: UInt64, count: UInt64) {
            self.nanoseconds = nanoseconds
            self.count = count
        }
    }

    public init(entries: [Entry]) {
        self.entries = entries
    }

    init(_ histogram: LogLinearHistogram) {
        entries = histogram.buckets.map {
            Entry(nanoseconds: $0.highestValue, count: $0.count)
        }
    }
}

extension LatencyBuckets: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        entries = try container.decode(String.self).split(separator: " ").map { pair in
            let numbers = pair.split(separator: "x").map { UInt64($0) }
            guard numbers.count == 2, let nanoseconds = numbers[0], let count = numbers[1] else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\"\(pair)\" is not nanoseconds x count")
            }
            return Entry(nanoseconds: nanoseconds, count: count)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            entries.map { "\($0.nanoseconds)x\($0.count)" }.joined(separator: " "))
    }
}
