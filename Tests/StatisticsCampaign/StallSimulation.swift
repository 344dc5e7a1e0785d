import Foundation
import Measuring
import Reports
import RunRecords

/// A server that stalls now and then, under arrivals that do not wait for it. Checks that latencies
/// count from the intended time. Source: measuring §9, item 5.
struct StallSimulation: Sendable {
    private static let serviceSeconds = 0.001
    private static let operationsPerSecond = 500.0
    private static let operationCount = 20_000
    private static let stallEverySeconds = 2.0
    let seed: UInt64

    func check(into report: inout SelfTestReport) {
        let calm = p99s(stallSeconds: 0)
        let stalled = p99s(stallSeconds: 0.1)
        report.check(
            "intended p99 with stalls of 100 ms ÷ without", stalled.intended / calm.intended,
            in: 10...Double.infinity)
        report.check(
            "service p99 with stalls of 100 ms ÷ without", stalled.service / calm.service,
            in: 0.99...1.01)
    }

    private func p99s(stallSeconds: Double) -> (intended: Double, service: Double) {
        var generator = SeededGenerator(seed: seed)
        var intended = LatencyRecorder()
        var service = LatencyRecorder()
        var arrival = 0.0
        var free = 0.0
        var nextStall = Self.stallEverySeconds
        for _ in 0..<Self.operationCount {
            // Poisson arrivals: exponential gaps.
            let uniform = Double.random(in: Double.leastNonzeroMagnitude..<1, using: &generator)
            arrival += -log(uniform) / Self.operationsPerSecond
            let start = max(arrival, free)
            free = start + Self.serviceSeconds
            if start >= nextStall {
                free += stallSeconds
                nextStall += Self.stallEverySeconds
            }
            intended.record(nanoseconds: UInt64((free - arrival) * 1e9))
            service.record(nanoseconds: UInt64((free - start) * 1e9))
        }
        return (Double(intended.percentile(0.99) ?? 0), Double(service.percentile(0.99) ?? 0))
    }
}
