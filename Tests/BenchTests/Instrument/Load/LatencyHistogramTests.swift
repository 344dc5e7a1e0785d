import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@Suite struct `Latency histograms` {
    /// Distributions of latencies in nanoseconds.
    enum Distribution: String, CaseIterable {
        case constant, small, uniform, logUniform, exponential, pareto, twoModes, rareStalls
        case powersOfTwo, belowPowersOfTwo

        func draw(_ random: inout SeededGenerator) -> UInt64 {
            let share = Double.random(in: 1e-6..<1, using: &random)
            let value: Double =
                switch self {
                case .constant: 4_711
                case .small: share * 20
                case .uniform: share * 1e6
                case .logUniform: exp(share * 28)
                case .exponential: -log(share) * 1e5
                case .pareto: 1e3 / pow(share, 0.9)
                case .twoModes: share < 0.5 ? 900 + share : 4e6 + share * 1e6
                case .rareStalls: share < 0.001 ? 1e8 : 5e3 + share * 1e3
                case .powersOfTwo: exp2((share * 40).rounded())
                case .belowPowersOfTwo: exp2((share * 40).rounded(.up)) - 1
                }
            return UInt64(max(value, 1))
        }
    }

    @Test(arguments: Distribution.allCases)
    func `every percentile is at most .1 % above the exact one`(distribution: Distribution) throws {
        var generator = SeededGenerator(seed: testSeed())
        let values = (0..<20_000).map { _ in distribution.draw(&generator) }
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
        let recorders = [Distribution.uniform, .pareto, .rareStalls].map { distribution in
            var recorder = LatencyRecorder()
            for _ in 0..<1_000 {
                recorder.record(nanoseconds: distribution.draw(&generator))
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
        var sample = Sample()
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
