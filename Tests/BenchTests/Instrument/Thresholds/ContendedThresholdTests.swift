import Foundation
import Measuring
import RunRecords
import Testing

/// Threads in contention take another schedule each time, so one sample of their counts decides
/// nothing (measuring §3).
@Suite struct `A threshold on a count under contention` {
    /// A cell with these counts in its rounds, and another one in the counting pass.
    private func check(
        _ rule: ThresholdRule, _ counts: [Int64], isContended: Bool? = true,
        others: [Int64] = []
    ) throws -> ThresholdReport {
        var other = SampleRun.cell("nested", others.map { _ in 1 })
        for (place, count) in others.enumerated() {
            other.samples[place].counters["statements"] = count
        }
        var cell = SampleRun.cell("shared", counts.map { _ in 1 })
        for (place, count) in counts.enumerated() {
            cell.samples[place].counters["statements"] = count
            cell.samples[place].metrics["lostUpdates"] = 0
        }
        cell.counts = Sample(counters: ["statements": 2_522])
        cell.counts?.metrics["walBytes"] = 4_096
        var workload = SampleRun.workload(others.isEmpty ? [cell] : [cell, other])
        workload.name = "readers"
        workload.isContended = isContended
        workload.extraMetrics = [Metric("lostUpdates", unit: .count)]
        return try ThresholdCheck.evaluate([rule], SampleRun.run([workload]))
    }

    private let atMost = ThresholdRule(metric: "statements", bound: .atMost(2_000))

    @Test(arguments: [[1_890], [2_522, 1_890, 1_700], []] as [[Int64]])
    func `is not judged by few rounds, and the line says why`(counts: [Int64]) throws {
        let report = try check(atMost, counts)

        #expect(report.exitCode == .inconclusive)
        #expect(
            report.description.contains(
                "cannot be judged: the counts of readers depend on the schedule; "), "\(report)")
    }

    @Test func `is judged by the rounds that a time needs`() throws {
        let counts: [Int64] = [1_890, 1_700, 1_911, 1_750, 1_820, 1_880]
        #expect(try check(atMost, counts).exitCode == .success)
        #expect(try check(atMost, counts.map { $0 + 500 }).exitCode == .thresholdCrossed)
        let unsure = try check(atMost, [1_890, 2_522, 1_911, 2_750, 1_820, 1_880])
        #expect(unsure.exitCode == .inconclusive)
        #expect(unsure.description.contains("depend on the schedule; not certain"), "\(unsure)")
    }

    @Test func `has no ratio if a round of one side has none`() throws {
        let rule = ThresholdRule(
            cell: "shared*", metric: "statements", bound: .atMost(2), relativeTo: "nested")
        let counts: [Int64] = [7, 8, 7, 9, 8, 7, 8]
        #expect(try check(rule, counts, others: counts).exitCode == .success)
        let report = try check(rule, counts, others: [7, 0, 7, 9, 0, 7, 8])
        #expect(report.exitCode == .inconclusive)
        #expect(report.description.contains("there is no ratio in 2 of 7 rounds"), "\(report)")
    }

    @Test func `that no round has cannot be judged by the counting pass`() throws {
        let rule = ThresholdRule(metric: "walBytes", bound: .atMost(1e6))
        let report = try check(rule, Array(repeating: 7, count: 9))
        #expect(report.exitCode == .inconclusive)
        #expect(report.description.contains("walBytes was counted once and in no round"))
    }

    @Test func `is crossed by one sample that is not exactly so, and held by enough that are`()
        throws
    {
        let exactly = ThresholdRule(metric: "statements", bound: .exactly(7))
        #expect(try check(exactly, [7, 8]).exitCode == .thresholdCrossed)
        #expect(try check(exactly, [7]).exitCode == .inconclusive)
        #expect(try check(exactly, Array(repeating: 7, count: 6)).exitCode == .success)
    }

    @Test func `is a check of each sample if the kind declares it, as lost updates`() throws {
        let exactly = ThresholdRule(metric: "lostUpdates", bound: .exactly(0))
        #expect(try check(exactly, [7]).exitCode == .success)
        let atMost = ThresholdRule(metric: "lostUpdates", bound: .atMost(3))
        #expect(try check(atMost, [7]).exitCode == .inconclusive)
    }

    @Test(arguments: [nil, false])
    func `that repeats is judged by one sample where one thread works`(isContended: Bool?) throws {
        #expect(try check(atMost, [1_890], isContended: isContended).exitCode == .thresholdCrossed)
    }
}
