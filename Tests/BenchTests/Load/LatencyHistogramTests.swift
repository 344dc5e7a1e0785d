import Benchmarking
import Foundation
import TestSupport
import Testing

@Suite struct `Latency histograms` {
    /// A distribution of latencies in nanoseconds.
    struct Distribution: CustomTestStringConvertible {
        var testDescription: String
        var draw: @Sendable (inout SeededGenerator) -> Double
    }

    private static let distributions = [
        Distribution(testDescription: "constant") { _ in 4_711 },
        Distribution(testDescription: "small whole numbers") {
            Double.random(in: 0..<20, using: &$0)
        },
        Distribution(testDescription: "uniform") { Double.random(in: 0..<1e6, using: &$0) },
        Distribution(testDescription: "log-uniform") { exp(Double.random(in: 0..<28, using: &$0)) },
        Distribution(testDescription: "exponential") {
            -1e5 * log(Double.random(in: 1e-9..<1, using: &$0))
        },
        Distribution(testDescription: "Pareto") {
            1e3 / pow(Double.random(in: 1e-6..<1, using: &$0), 0.9)
        },
        Distribution(testDescription: "two modes") {
            Bool.random(using: &$0)
                ? Double.random(in: 900..<1_100, using: &$0)
                : Double.random(in: 4e6..<5e6, using: &$0)
        },
        Distribution(testDescription: "rare stalls") {
            Double.random(in: 0..<1, using: &$0) < 0.001
                ? 1e8 : Double.random(in: 5e3..<6e3, using: &$0)
        },
        Distribution(testDescription: "powers of two") {
            exp2(Double(Int.random(in: 0..<40, using: &$0)))
        },
        Distribution(testDescription: "one below powers of two") {
            exp2(Double(Int.random(in: 1..<40, using: &$0))) - 1
        },
    ]

    @Test(arguments: distributions)
    func `every percentile is at most .1 % above the exact one`(distribution: Distribution) throws {
        var generator = SeededGenerator(seed: testSeed())
        let values = (0..<20_000).map { _ in UInt64(max(distribution.draw(&generator), 1)) }
        var recorder = LatencyRecorder()
        for value in values { recorder.record(nanoseconds: value) }
        let sorted = values.sorted()
        for quantile in [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9995] {
            let exact = sorted[Int((20_000 * quantile).rounded(.up)) - 1]
            let found = try #require(recorder.percentile(quantile))
            #expect(found >= exact)
            #expect(Double(found) <= Double(exact) * 1.001)
        }
    }

    @Test func `merging is the same in any order and grouping`() {
        var generator = SeededGenerator(seed: testSeed())
        let recorders = Self.distributions.prefix(3).map { distribution in
            var recorder = LatencyRecorder()
            for _ in 0..<1_000 {
                recorder.record(nanoseconds: UInt64(distribution.draw(&generator)))
            }
            return recorder
        }
        func merged(_ parts: LatencyRecorder...) -> LatencyRecorder {
            parts.dropFirst().reduce(into: parts[0]) { $0.merge($1) }
        }
        let (a, b, c) = (recorders[0], recorders[1], recorders[2])
        let expected = merged(a, b, c).summary
        #expect(merged(c, b, a).summary == expected)
        #expect(merged(a, merged(b, c)).summary == expected)
        #expect(merged(merged(c, a), b).summary == expected)
    }
}

@Suite struct `Latencies over time` {
    private func recorder() -> LatencyTimelineRecorder {
        LatencyTimelineRecorder(startNanoseconds: 1_000, intervalNanoseconds: 100)
    }

    @Test func `a latency belongs to the interval in which it ended`() {
        var timeline = recorder()
        timeline.record(nanoseconds: 7, completedAt: 1_099)
        timeline.record(nanoseconds: 250, completedAt: 1_200)
        timeline.record(nanoseconds: 7, completedAt: 900)
        let intervals = timeline.timeline.intervals
        #expect(intervals.map { $0.entries.map(\.count) } == [[2], [], [1]])
        #expect(timeline.timeline.intervalSeconds == 1e-7)
    }

    @Test func `a bucket is at most an eighth above the values in it`() throws {
        for value: UInt64 in [1, 9, 100, 12_345, 987_654_321] {
            var timeline = recorder()
            timeline.record(nanoseconds: value, completedAt: 1_000)
            let entry = try #require(timeline.timeline.intervals[0].entries.first)
            #expect(entry.nanoseconds >= value)
            #expect(Double(entry.nanoseconds) <= Double(value) * 1.125)
        }
    }

    @Test func `time-lines of several threads merge`() {
        var (first, second, both) = (recorder(), recorder(), recorder())
        for index in UInt64(0)..<500 {
            both.record(nanoseconds: index, completedAt: 1_000 + index)
            if index.isMultiple(of: 3) {
                first.record(nanoseconds: index, completedAt: 1_000 + index)
            } else {
                second.record(nanoseconds: index, completedAt: 1_000 + index)
            }
        }
        first.merge(second)
        #expect(first.timeline == both.timeline)
    }

    @Test func `a sample keeps its time-lines, and older ones are read without`() throws {
        var sample = Sample(repetition: 0, positionInRound: 0, startedAtSeconds: 0)
        let withNone = try JSONEncoder().encode(sample)
        #expect(try JSONDecoder().decode(Sample.self, from: withNone).timelines == nil)
        var timeline = recorder()
        timeline.record(nanoseconds: 5, completedAt: 1_150)
        var kept = timeline.timeline
        kept.marks = [LatencyTimeline.Mark(name: "merge", seconds: 0.5)]
        sample.timelines = ["intended": kept]
        let data = try JSONEncoder().encode(sample)
        #expect(try JSONDecoder().decode(Sample.self, from: data) == sample)
    }
}
