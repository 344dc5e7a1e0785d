import Foundation
import Measuring
import Reports
import RunRecords

/// A comparison generated from a seed, with a row of each kind.
enum SampleComparison {
    static var full: ComparisonReport {
        var report = ComparisonReport(
            base: .init(name: "main", commit: "703d0ef"), head: .init(name: "faster-saves"),
            startedAt: SampleRun.start, seed: 42,
            commandLine: ["bench", "gate", "Benchmarks/Workloads/ci.yml", "--base-ref", "main"],
            build: .release, environment: SampleRun.environment(),
            rows: [
                paired("import", "nested/pooled", .regressed, by: 0.084, spread: 0.012, seed: 1),
                paired("import", "shared/pooled", .ok, by: 0.002, spread: 0.009, seed: 2),
                paired(
                    "paging", "nested/fetchBatchSize=20", .improved, by: -0.12, spread: 0.02,
                    seed: 3),
                paired(
                    "paging", "shared/fetchBatchSize=20", .inconclusive, by: 0.04, spread: 0.2,
                    seed: 4),
                exact("import", "nested/pooled", .statements, .regressed, 338_100, 345_213),
                exact("import", "nested/pooled", .bytesWritten, .ok, 41_231_860, 41_231_860),
            ],
            unsoundCells: [
                UnsoundCell(
                    workload: "paging", cell: "single", isWrongAnswer: false,
                    reason: "the worker ended with signal 11")
            ])
        report.finishedAt = SampleRun.start.addingTimeInterval(531)
        report.noise = noise
        return report
    }

    /// A machine that is busy for some time.
    private static var noise: [NoiseReading] {
        var generator = SeededGenerator(seed: 5)
        return (0..<200).map { index in
            let isBusy = (80..<100).contains(index)
            return NoiseReading(
                seconds: Double(index) * 2.6,
                canarySeconds: 0.001 * .random(in: isBusy ? 1.5...3 : 1...1.1, using: &generator),
                syncSeconds: 0.000_2 * .random(in: 1...4, using: &generator),
                stolenShare: isBusy ? 0.12 : 0.01)
        }
    }

    static func paired(
        _ workload: String, _ cell: String, _ verdict: Verdict, by change: Double, spread: Double,
        seed: UInt64
    ) -> Comparison {
        var generator = SeededGenerator(seed: seed)
        func pairs(_ count: Int) -> [PairedSamples.Pair] {
            (0..<count).map { block in
                let ratio = (1 + change) * exp(.random(in: -spread...spread, using: &generator))
                return PairedSamples.Pair(
                    block: block, isHeadFirst: .random(using: &generator), base: 2, head: 2 * ratio,
                    logRatio: log(ratio))
            }
        }
        let first = pairs(20)
        let ratios = first.map { exp($0.logRatio) }
        return Comparison(
            workload: workload, cell: cell, metric: .time, rule: .paired(PairedRule()),
            verdict: verdict, base: 2, head: Statistics.median(ratios).map { $0 * 2 },
            ratio: Statistics.median(ratios), interval: Statistics.medianInterval(ratios),
            pValue: abs(change) > spread ? 0.000_001 : 0.21,
            minimumDetectableEffect: spread * 1.6, pairs: first,
            confirmation: verdict == .regressed || verdict == .improved ? pairs(20) : [],
            reason: verdict == .inconclusive ? "the pairs differ too much" : nil)
    }

    private static func exact(
        _ workload: String, _ cell: String, _ metric: Metric, _ verdict: Verdict, _ base: Double,
        _ head: Double
    ) -> Comparison {
        Comparison(
            workload: workload, cell: cell, metric: metric, rule: .exact(tolerance: 0),
            verdict: verdict, base: base, head: head, ratio: head / base,
            minimumDetectableEffect: 0)
    }
}
