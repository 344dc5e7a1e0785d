import Foundation
import Measuring
import Testing

@Suite struct `Latency recorder` {
    @Test(arguments: [0.5, 0.9, 0.99, 0.999])
    func `a percentile is within .1 % of the exact sort`(quantile: Double) throws {
        var generator = SeededGenerator(seed: testSeed())
        let values = (0..<20_000).map { _ in
            UInt64(exp(Double.random(in: 3...25, using: &generator)))
        }
        var recorder = LatencyRecorder()
        for value in values { recorder.record(nanoseconds: value) }

        let found = try #require(recorder.percentile(quantile))

        let exact = values.sorted()[Int((Double(values.count) * quantile).rounded(.up)) - 1]
        #expect(abs(Double(found) - Double(exact)) <= Double(exact) * 0.001 + 1)
        #expect(recorder.maxNanoseconds == values.max())
    }

    @Test(arguments: [
        (count: 19, quantile: 0.5, isTold: false), (count: 20, quantile: 0.5, isTold: true),
        (count: 999, quantile: 0.99, isTold: false), (count: 1_000, quantile: 0.99, isTold: true),
        (count: 9_999, quantile: 0.999, isTold: false),
        (count: 10_000, quantile: 0.999, isTold: true),
    ])
    func `a percentile is told only with ten values beyond it`(
        count: Int, quantile: Double, isTold: Bool
    ) {
        var recorder = LatencyRecorder()
        for value in 1...count { recorder.record(nanoseconds: UInt64(value)) }

        #expect((recorder.percentile(quantile) != nil) == isTold)
    }

    @Test func `nothing recorded is nothing told`() {
        #expect(LatencyRecorder().maxNanoseconds == nil)
        #expect(LatencyRecorder().percentile(0.5) == nil)
        #expect(LatencyRecorder().summary == nil)
    }

    @Test func `an open-loop latency counts from the intended time`() {
        var arrivals = ArrivalSchedule(.fixed, perSecond: 1e7, startNanoseconds: 1_000)
        var recorder = LatencyRecorder()

        // After a stall, the operations due at 1,000, 1,100 and 1,200 all end at 1,250.
        for _ in 0..<3 { recorder.record(intendedAt: arrivals.next(), completedAt: 1_250) }

        #expect(recorder.count == 3)
        #expect(recorder.maxNanoseconds == 250)
    }

    @Test func `latencies of zero and of more than an hour are kept`() {
        var recorder = LatencyRecorder()

        recorder.record(nanoseconds: 0)
        recorder.record(intendedAt: 5, completedAt: 4)
        recorder.record(nanoseconds: 7_200_000_000_000)

        #expect(recorder.count == 3)
        #expect(recorder.maxNanoseconds == 7_200_000_000_000)
    }

    @Test func `a merge gives what one recorder would have`() {
        var (even, odd, both) = (LatencyRecorder(), LatencyRecorder(), LatencyRecorder())
        for value in UInt64(1)...5_000 {
            both.record(nanoseconds: value * value)
            if value.isMultiple(of: 2) {
                even.record(nanoseconds: value * value)
            } else {
                odd.record(nanoseconds: value * value)
            }
        }

        odd.merge(even)
        odd.merge(LatencyRecorder())

        #expect(odd.summary == both.summary)
    }

    @Test func `a summary gives its recorder back`() throws {
        var recorder = LatencyRecorder()
        for value in UInt64(1)...3_000 { recorder.record(nanoseconds: value * 977) }
        let summary = try #require(recorder.summary)

        let data = try JSONEncoder().encode(summary)
        let decoded = try JSONDecoder().decode(LatencySummary.self, from: data)

        #expect(decoded == summary)
        #expect(LatencyRecorder(decoded).summary == summary)
    }

    @Test func `buckets that are no buckets are refused`() {
        let text = Data(#""1023x4 20""#.utf8)

        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(LatencyBuckets.self, from: text)
        }
    }
}
