import Measuring
import Reports
import RunRecords

/// Two popular rules that must fail on identical code. This proves that the checks can fail.
///
/// Source: measuring §9, item 2.
struct NegativeControls: Sendable {
    private static let runCount = 1_000
    let seed: UInt64

    func check(into report: inout SelfTestReport) {
        report.check(
            "negative control: unpaired rank test, one arm after the other, under drift",
            rate(unpairedRanks), in: 0.1...1)
        report.check(
            "negative control: t test that treats iterations as observations", rate(pooledMeans),
            in: 0.2...1)
    }

    private func rate(_ alarms: (inout SeededGenerator) -> Bool) -> Double {
        var generator = SeededGenerator(seed: seed)
        let count = (0..<Self.runCount).count { _ in alarms(&generator) }
        return Double(count) / Double(Self.runCount)
    }

    /// 20 processes of one arm, then 20 of the other, on a machine whose speed drifts.
    private func unpairedRanks(using generator: inout SeededGenerator) -> Bool {
        let times = MachineDrift.autoregressive.levels(count: 40, using: &generator).map {
            $0 + 0.01 * generator.normal()
        }
        let p = Statistics.rankSumTest(Array(times[..<20]), Array(times[20...]))
        return p.map { $0 < 0.05 } ?? false
    }

    /// 20 processes of each arm with 3 values each, treated as 60 independent values.
    private func pooledMeans(using generator: inout SeededGenerator) -> Bool {
        func arm() -> [Double] {
            (0..<20).flatMap { _ in
                let process = 0.05 * generator.normal()
                return (0..<3).map { _ in process + 0.01 * generator.normal() }
            }
        }
        let p = Statistics.welchTest(arm(), arm())
        return p.map { $0 < 0.05 } ?? false
    }
}
