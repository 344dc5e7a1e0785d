import Benchmarking
import Testing

@Suite struct `Self test of the statistics (instrument §2.6)` {
    @Test func `simulated noise has the spread and the tails of its model`() throws {
        var generator = SeededGenerator(seed: testSeed())
        let model = NoiseModel("both", spread: 0.01, tailShare: 0.2, tailSpread: 0.1)

        let draws = (0..<20_000).map { _ in model.draw(using: &generator) }

        // Variance .8 × .01² + .2 × 2 × .1², whose own standard error is about 3 %.
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
}
