import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@testable import StatisticsCampaign

@Suite struct `Paired verdicts (measuring §7)` {
    private let rule = PairedRule()

    /// Pairs with these ln(head / base).
    private func pairs(_ logRatios: [Double], from block: Int = 0) -> [PairedSamples.Pair] {
        logRatios.enumerated().map { place, logRatio in
            PairedSamples.Pair(
                block: block + place, isHeadFirst: place.isMultiple(of: 2), base: 1,
                head: exp(logRatio), logRatio: logRatio)
        }
    }

    private func samples(_ logRatios: [Double], metric: Metric = .time) -> PairedSamples {
        PairedSamples(
            workload: "import", cell: "nested/pooled", metric: metric, pairs: pairs(logRatios))
    }

    /// 20 differences around a middle, evenly spread.
    private func around(_ middle: Double, spread: Double = 0.005) -> [Double] {
        (0..<20).map { middle + spread * (Double($0) - 9.5) / 9.5 }
    }

    @Test(arguments: [
        (first: 0.08, fresh: 0.08, expected: Verdict.regressed),
        (first: -0.08, fresh: -0.08, expected: .improved),
        (first: 0, fresh: 0, expected: .ok),
        (first: 0.02, fresh: 0, expected: .ok),
    ])
    func `a quiet row is judged by what both looks show`(
        first: Double, fresh: Double, expected: Verdict
    ) {
        let comparison = Comparison(
            of: samples(around(first)),
            confirmation: rule.findsChange(in: around(first)) ? pairs(around(fresh)) : [],
            by: rule, seed: 1)

        #expect(comparison.verdict == expected)
        #expect(comparison.reason == nil)
    }

    @Test func `a change without fresh pairs is not told yet`() {
        let comparison = Comparison(of: samples(around(0.08)), by: rule, seed: 1)

        #expect(comparison.verdict == .inconclusive)
        #expect(comparison.reason?.contains("not confirmed") == true)
    }

    @Test func `a change that fresh pairs turn around is none`() {
        let comparison = Comparison(
            of: samples(around(0.04)), confirmation: pairs(around(-0.04)), by: rule, seed: 1)

        #expect(comparison.verdict == .inconclusive)
    }

    @Test func `a noisy row is inconclusive and says what it might have missed`() throws {
        let comparison = Comparison(of: samples(around(0, spread: 0.2)), by: rule, seed: 1)

        let effect = try #require(comparison.minimumDetectableEffect)
        #expect(comparison.verdict == .inconclusive)
        #expect(effect > rule.detect)
        #expect(comparison.reason?.contains("might have been missed") == true)
    }

    @Test func `too few pairs cannot be ok`() {
        let comparison = Comparison(of: samples([0, 0, 0, 0, 0]), by: rule, seed: 1)

        #expect(comparison.verdict == .inconclusive)
        #expect(comparison.minimumDetectableEffect == nil)
    }

    @Test func `pairs that are added make no finding`() {
        let comparison = Comparison(
            of: samples(around(0) + around(0.08) + around(0.08)), by: rule, seed: 1)

        #expect(comparison.verdict == .inconclusive)
    }

    @Test(arguments: [0.04, -0.04])
    func `a change that only later pairs show is not told, and the row is not ok`(change: Double) {
        let undecided = around(change).enumerated().map { $0.isMultiple(of: 2) ? $1 : -$1 }
        let comparison = Comparison(
            of: samples(undecided + around(change) + around(change)), by: rule, seed: 1)

        #expect(comparison.verdict == .inconclusive)
        #expect(comparison.minimumDetectableEffect.map { $0 <= rule.detect } == true)
        #expect(comparison.reason?.contains("all pairs together show a change") == true)
    }

    @Test func `a difference too small to be told is ok`() {
        let comparison = Comparison(of: samples(around(0.01)), by: rule, seed: 1)

        #expect(comparison.interval.map { $0.lower > 1 } == true)
        #expect(comparison.verdict == .ok)
    }

    @Test func `where higher is better, higher is an improvement`() {
        let metric = Metric.rowsPerSecond
        let comparison = Comparison(
            of: samples(around(0.08), metric: metric), confirmation: pairs(around(0.08)), by: rule,
            seed: 1)

        #expect(comparison.verdict == .improved)
    }

    @Test func `the estimate is the median ratio, and its interval that of 98.8 %`() throws {
        let comparison = Comparison(of: samples(around(0.01)), by: rule, seed: 1)

        let ratio = try #require(comparison.ratio)
        let interval = try #require(comparison.interval)
        #expect(abs(log(ratio) - 0.01) < 1e-12)
        #expect(abs(interval.coverage - 0.98818) < 1e-5)
        #expect(interval.lower < ratio && ratio < interval.upper)
    }

    @Test func `exchanged arms mirror every verdict`() {
        var generator = SeededGenerator(seed: testSeed())
        for round in 0..<24 {
            let arms = SimulatedArms(
                NoiseModel.all[round % 6], drift: MachineDrift.allCases[round % 4],
                slowdown: [0, 0.03, 0.08][round % 3])
            let comparison = arms.comparison(by: rule, using: &generator)
            #expect(comparison.mirrors(by: rule), "\(arms)")
        }
    }

    @Test func `a pair is the median of its rounds, and of contended ones their trimmed mean`()
        throws
    {
        let base = [1.0, 1, 1, 1, 1]
        let head = [1.0, 1.1, 1.2, 1.3, 9]

        let median = try #require(
            PairedSamples.Pair(
                block: 3, isHeadFirst: true, baseRounds: base, headRounds: head, centre: .median))
        let mean = try #require(
            PairedSamples.Pair(
                block: 3, isHeadFirst: true, baseRounds: base, headRounds: head,
                centre: .trimmedMean))

        #expect(abs(median.logRatio - log(1.2)) < 1e-12)
        #expect(abs(mean.logRatio - (log(1.1) + log(1.2) + log(1.3)) / 3) < 1e-12)
        #expect(median.block == 3)
        #expect(median.head == 1.2)
    }

    @Test func `rounds without times make no pair`() {
        let pair = PairedSamples.Pair(
            block: 0, isHeadFirst: false, baseRounds: [0], headRounds: [1], centre: .median)

        #expect(pair == nil)
    }
}

@Suite struct `Exact verdicts (measuring §3)` {
    private func compare(
        _ base: [Double], _ head: [Double], tolerance: Double, metric: Metric = .statements
    ) -> Comparison {
        Comparison(
            exact: metric, workload: "import", cell: "nested", base: base, head: head,
            tolerance: tolerance)
    }

    @Test(arguments: [
        (base: [100.0, 100], head: [100.0, 100], tolerance: 0.0, expected: Verdict.ok),
        (base: [100], head: [101], tolerance: 0, expected: .regressed),
        (base: [100], head: [99], tolerance: 0, expected: .improved),
        (base: [1_000], head: [1_004], tolerance: 0.005, expected: .ok),
        (base: [1_000], head: [1_006], tolerance: 0.005, expected: .regressed),
        (base: [1_006], head: [1_000], tolerance: 0.005, expected: .improved),
        (base: [0], head: [1], tolerance: 0.005, expected: .regressed),
        (base: [0], head: [0], tolerance: 0, expected: .ok),
        (base: [100, 110], head: [105], tolerance: 0, expected: .inconclusive),
        (base: [100, 110], head: [120], tolerance: 0, expected: .regressed),
        (base: [], head: [1], tolerance: 0, expected: .inconclusive),
    ])
    func `a count may differ by its tolerance and no more`(
        base: [Double], head: [Double], tolerance: Double, expected: Verdict
    ) {
        let comparison = compare(base, head, tolerance: tolerance)
        let mirrored = compare(head, base, tolerance: tolerance)

        #expect(comparison.verdict == expected)
        #expect(mirrored.verdict == expected.mirrored)
        #expect((comparison.reason == nil) == (expected != .inconclusive))
    }
}

@Suite struct `Comparison reports` {
    private func report(_ rows: [Comparison], isStrict: Bool = false) -> ComparisonReport {
        ComparisonReport(
            base: .init(name: "main", commit: "0123456789abcdef"), head: .init(name: "HEAD"),
            startedAt: SampleRun.start, seed: 1, commandLine: ["bench", "gate"], build: .release,
            environment: SampleRun.environment(), isStrict: isStrict, rows: rows)
    }

    private func row(
        _ verdict: Verdict, rule: ComparisonRule = .paired(PairedRule())
    ) -> Comparison {
        Comparison(
            workload: "import", cell: "nested", metric: .time, rule: rule, verdict: verdict)
    }

    @Test func `the gravest finding decides the exit code`() {
        let inconclusive = row(.inconclusive)
        #expect(report([row(.ok), row(.improved)]).exitCode == .success)
        #expect(report([inconclusive]).exitCode == .success)
        #expect(report([inconclusive], isStrict: true).exitCode == .inconclusive)
        #expect(report([inconclusive, row(.regressed)], isStrict: true).exitCode == .regression)
        var crashed = report([row(.regressed)])
        crashed.unsoundCells = [
            UnsoundCell(workload: "import", cell: "nested", isWrongAnswer: false, reason: "hung")
        ]
        #expect(crashed.exitCode == .crash)
        crashed.unsoundCells[0].isWrongAnswer = true
        #expect(crashed.exitCode == .wrongAnswer)
    }

    @Test func `what was stopped half-way is no success`() {
        var stopped = report([row(.ok)])
        stopped.isInterrupted = true

        #expect(stopped.exitCode == .interrupted)
        #expect(stopped.sentence.hasPrefix("**Interrupted before all rows were measured**"))
    }

    @Test func `what compared nothing is no success`() {
        #expect(report([]).exitCode == .noBaseline)
    }

    @Test func `a success tells what could not be judged`() {
        let text = "\(report([row(.ok), row(.inconclusive)]))"

        #expect(text.hasSuffix("but 1 of 2 rows could not be judged (exit 0)"), "\(text)")
    }

    @Test func `the text names what changed and hides the rest`() {
        let text = "\(report([row(.ok), row(.regressed)]))"

        #expect(text.contains("✗  regressed  import nested  time"))
        #expect(text.contains("HEAD against main (0123456789): 1 regressed"))
        #expect(text.contains("1 unchanged row is not shown"))
        #expect(text.contains("exit 10"))
    }
}
