import Dispatch
import Foundation
import Measuring
import Reports
import RunRecords
import Synchronization

/// How many whole reports contain a false verdict, and how many comparisons are decided, on
/// machines with known noise.
struct VerdictSelfTest: Sendable {
    private static let questionCount = 30
    private static let differenceSought = 0.15
    /// Cells that are identical, that differ by as much as a binary's layout, by as much as
    /// matters, and by more.
    private static let mixture: [(excess: Double, count: Int)] = [
        (0, 10), (0.02, 4), (SimulatedReport.sameWithin, 4), (differenceSought, 6), (0.3, 3),
        (3, 3),
    ]

    private let seed: UInt64
    private let reportCount: Int

    /// - Parameter reportCount: the reports of each kind. 1,000 take about five minutes of processor
    ///   time in a release build.
    init(seed: UInt64, reportCount: Int = 1_000) {
        self.seed = seed
        self.reportCount = reportCount
    }

    /// Runs all checks.
    func report() -> SelfTestReport {
        var report = SelfTestReport(
            "Verdicts of \(reportCount) simulated reports each (seed \(seed)): the share of reports with a false "
                + "verdict, and of comparisons that are decided")
        for noise in MachineNoise.all { check(noise, into: &report) }
        checkContests(into: &report)
        checkWithoutBudget(into: &report)
        checkNegativeControls(into: &report)
        return report
    }

    /// 30 questions of two cells each, with a budget of 20 rounds for each question.
    private func check(_ noise: MachineNoise, into report: inout SelfTestReport) {
        func tally(_ excess: [Double]) -> ReportTally {
            self.tally(SimulatedReport(noise: noise, excess: excess.map { [0, $0] }))
        }
        let questions = Self.questionCount
        tally(Array(repeating: 0, count: questions))
            .checkDifferences("\(noise), all identical", into: &report)
        tally(Array(repeating: SequentialDesign.smallestDifference, count: questions))
            .checkDifferences("\(noise), all 2 % apart", into: &report)
        tally(Array(repeating: SimulatedReport.sameWithin, count: questions))
            .checkEquivalences("\(noise), all 10 % apart", into: &report)
        let mixed = tally(Self.mixture.flatMap { Array(repeating: $0.excess, count: $0.count) })
        mixed.checkDifferences("\(noise), mixed", into: &report)
        mixed.checkEquivalences("\(noise), mixed", into: &report)
        report.check(
            "\(noise), mixed: 15 % differences found", mixed.found(Self.differenceSought),
            in: noise == .normal(spread: 0.05) ? 0.9...1 : -.infinity...1)
        report.tell("\(noise), mixed: comparisons decided", mixed.decided)
    }

    /// Contests of six cells without a baseline: each is compared with all others by the same
    /// samples, and the best one is not known before.
    private func checkContests(into report: inout SelfTestReport) {
        let kinds: [(name: String, excess: [Double])] = [
            ("all identical", Array(repeating: 0, count: 6)),
            (
                "five 10 % above the best",
                [0] + Array(repeating: SimulatedReport.sameWithin, count: 5)
            ),
            ("mixed", [0, 0.02, 0.02, 0.1, 0.15, 1]),
        ]
        for noise in [MachineNoise.heavy, .unequal, .skewed] {
            for (kind, excess) in kinds {
                let tally = tally(
                    SimulatedReport(
                        noise: noise, excess: Array(repeating: excess, count: 6),
                        hasBaseline: false, roundsPerContest: 60))
                let name = "\(noise), 6 contests of 6, \(kind)"
                tally.checkDifferences(name, into: &report)
                tally.checkEquivalences(name, into: &report)
                if kind == "mixed" { report.tell("\(name): cells decided", tally.decided) }
            }
        }
    }

    /// Takes rounds until nothing more can be decided, and so has the most looks.
    private func checkWithoutBudget(into report: inout SelfTestReport) {
        func tally(_ excess: Double) -> ReportTally {
            self.tally(
                SimulatedReport(
                    noise: .phases(length: 20),
                    excess: Array(repeating: [0, excess], count: Self.questionCount),
                    roundsPerContest: .infinity))
        }
        tally(SequentialDesign.smallestDifference)
            .checkDifferences("no budget, all 2 % apart", into: &report)
        tally(SimulatedReport.sameWithin)
            .checkEquivalences("no budget, all 10 % apart", into: &report)
    }

    /// What the design forbids must visibly fail. Otherwise the checks could not fail either.
    private func checkNegativeControls(into report: inout SelfTestReport) {
        let excess = Array(repeating: [0.0, 0], count: Self.questionCount)
        let staying = SimulatedReport(
            noise: .normal(spread: 0.04), excess: excess, lastingBias: 0.02)
        tally(staying).checkFailure(
            "negative control: one process for all rounds, each off by 2 %", into: &report)
        let peeking = PeekingReport(noise: .normal(spread: 0.05), questionCount: Self.questionCount)
        tally { peeking.comparisons(seed: $0) }.checkFailure(
            "negative control: the 95 % interval of the median, looked at after every round",
            into: &report)
    }

    private func tally(_ simulated: SimulatedReport) -> ReportTally {
        let design = simulated.design
        return tally(allowed: simulated.noise.allowedShare) {
            simulated.comparisons(design, seed: $0)
        }
    }

    /// Simulates reports with different seeds, on all cores.
    private func tally(
        allowed: ClosedRange<Double> = 0...SequentialDesign.error,
        _ comparisons: @escaping @Sendable (UInt64) -> [SimulatedComparison]
    ) -> ReportTally {
        var generator = SeededGenerator(seed: seed)
        let seeds = (0..<reportCount).map { _ in generator.next() }
        let tallies = Mutex(ReportTally(allowed: allowed))
        DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
            let found = comparisons(seeds[index])
            tallies.withLock { $0.add(found) }
        }
        return tallies.withLock { $0 }
    }
}
