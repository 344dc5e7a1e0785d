import Foundation
import Measuring
import RunRecords

/// The latencies of a run as a log of HDR histograms: an interval for each sample, in nanoseconds, with
/// the tag "workload/cell/latency".
///
/// Source: HistogramLogWriter of HdrHistogram 2.2, log format 1.3.
struct HistogramLog {
    private let startedAt: Date
    private let name: String
    /// In the order of time, as readers of a range expect.
    private let intervals: [Interval]

    private struct Interval {
        let tag: String
        /// Since the start of the run.
        let start: Double
        let length: Double
        let latencies: LatencySummary
    }

    /// - Returns: `nil` if no sample of a sound cell recorded latencies.
    init?(_ run: Run) {
        startedAt = run.startedAt
        name = run.name
        let intervals = run.workloads.flatMap { workload in
            workload.cells.filter(\.isSound).flatMap { cell in
                cell.samples.flatMap { Self.intervals(of: $0, of: cell, in: workload) }
            }
        }
        if intervals.isEmpty { return nil }
        self.intervals = intervals.sorted { ($0.start, $0.tag) < ($1.start, $1.tag) }
    }

    private static func intervals(
        of sample: Sample, of cell: CellResult, in workload: WorkloadResult
    ) -> [Interval] {
        sample.latencies.filter {
            !$0.value.buckets.entries.isEmpty
                && !(cell.isSaturated && Metric($0.key, unit: .nanoseconds).isIntended)
        }.map { latency, summary in
            // Commas end a tag, and spaces are not allowed in one.
            let tag = "\(workload.name)/\(cell.identifier)/\(latency)"
                .replacing(",", with: ";").replacing(/\s+/, with: "_")
            return Interval(
                tag: tag, start: sample.startedAtSeconds,
                length: sample[.sampleSeconds] ?? sample[.time] ?? 0, latencies: summary)
        }
    }

    private static let columns = [
        "StartTimestamp", "Interval_Length", "Interval_Max", "Interval_Compressed_Histogram",
    ]

    var text: String {
        let start = fixed(startedAt.timeIntervalSince1970, 3)
        let title = name.split(whereSeparator: \.isNewline).joined(separator: " ")
        let lines =
            [
                "#[StackBench run \(title): latencies in nanoseconds]",
                "#[Histogram log format version 1.3]",
                "#[StartTime: \(start) (seconds since epoch), \(startedAt.formatted(.iso8601))]",
                "#[BaseTime: \(start) (seconds since epoch)]",
                Self.columns.map { "\"\($0)\"" }.joined(separator: ","),
            ]
            + intervals.map { interval in
                // Writers of the format give the maximum in milliseconds.
                let highest = Double(interval.latencies.maxNanoseconds) / 1e6
                let histogram = EncodedHistogram(LatencyRecorder(interval.latencies).bucketCounts)
                return
                    (["Tag=\(interval.tag)"]
                    + [interval.start, interval.length, highest].map { fixed($0, 3) }
                    + [histogram.text]).joined(separator: ",")
            }
        return lines.joined(separator: "\n") + "\n"
    }
}
