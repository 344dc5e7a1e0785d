import Foundation
import Testing

@testable import Measuring
@testable import Reports
@testable import RunRecords
@testable import StatisticsCampaign

@Suite struct `Self test of the statistics (measuring §9)` {
    @Test func `simulated noise has the spread and the tails of its model`() throws {
        var generator = SeededGenerator(seed: testSeed())
        let model = NoiseModel("both", spread: 0.01, tailShare: 0.2, tailSpread: 0.1)

        let draws = (0..<20_000).map { _ in model.draw(using: &generator) }

        // The variance is .8 × .01² + .2 × 2 × .1², with a standard error of about 3 %.
        let variance = draws.map { $0 * $0 }.reduce(0, +) / Double(draws.count)
        #expect(abs(variance / 0.004_08 - 1) < 0.15)
        #expect(try abs(#require(Statistics.median(draws))) < 0.001)
    }

    @Test func `what slows both arms is in the times and not in their ratio`() {
        var generator = SeededGenerator(seed: 1)
        let arms = SimulatedArms(.pinned, drift: .twoState, slowdown: 0.05)

        let pairs = arms.pairs(count: 60, using: &generator)

        #expect(pairs.map(\.base).max()! / pairs.map(\.base).min()! > 25)
        #expect(pairs.allSatisfy { abs($0.logRatio - 0.0488) < 0.04 })
        #expect(pairs.map(\.block) == Array(0..<60))
    }

    @Test func `a report fails when one check does`() {
        var report = SelfTestReport("test")
        report.check("few", 1, atMost: 3)
        #expect(report.hasPassed)

        report.check("many", 1, atLeast: 19)

        #expect(!report.hasPassed)
        #expect("\(report)".contains("✗  many  1  ≥ 19"))
        #expect("\(report)".contains("1 of 2 hold"))
    }

    @Test func `a simulated rate holds only with all of its interval`() {
        var report = SelfTestReport("test")
        report.check("rare", share: 20, of: 1_000, in: 0...0.05)
        #expect(report.hasPassed)
        #expect("\(report)".contains("✓  rare  0.0200  ≤ 0.0500  [0.0130, 0.0307]"))

        report.check("often", share: 45, of: 1_000, in: 0...0.05)

        #expect(!report.hasPassed)
    }

    @Test(arguments: MachineNoise.all.filter { $0 != .skewed })
    func `simulated machines favour neither side`(noise: MachineNoise) {
        var machine = NoisyMachine(noise, seed: testSeed())
        let rounds = (0..<4_000).map {
            machine.sample(of: 0, in: $0) - machine.sample(of: 1, in: $0)
        }

        // A fair coin; four standard errors are 127.
        #expect(abs(rounds.count { $0 > 0 } - 2_000) < 127)
    }

    @Test func `a simulated report decides what differs and errs only by name`() {
        let report = SimulatedReport(
            noise: .normal(spread: 0.02), excess: [[0, 0.3], [0, 0], [0, 1, 1]])

        let comparisons = report.comparisons(report.design, seed: testSeed())

        // A pair compares its first cell with its second. The second takes longer, so the answer is
        // less.
        #expect(comparisons.map(\.conclusion) == [.less, .equivalent, .less, .less])
        #expect(!comparisons.contains { $0.isFalseDifference || $0.isFalseEquivalence })
    }

    @Test(arguments: [
        (excess: 0.0, conclusion: SequentialDesign.Conclusion.less, isFalse: true),
        (excess: 0.02, conclusion: .less, isFalse: true),
        (excess: 0.05, conclusion: .less, isFalse: false),
        (excess: 0.05, conclusion: .more, isFalse: true),
        (excess: 0.05, conclusion: .equivalent, isFalse: false),
        (excess: 0.1, conclusion: .equivalent, isFalse: true),
        (excess: 0.1, conclusion: .less, isFalse: false),
    ])
    func `a verdict is false where the truth is known to be another`(
        excess: Double, conclusion: SequentialDesign.Conclusion, isFalse: Bool
    ) {
        let comparison = SimulatedComparison(truth: -log(1 + excess), conclusion: conclusion)

        #expect((comparison.isFalseDifference || comparison.isFalseEquivalence) == isFalse)
    }
}
