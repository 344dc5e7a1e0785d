import Foundation
import Measuring
import RunRecords
import Testing

@Suite struct `Paired comparison` {
    @Test func `pairs are samples of the same round, whatever their order`() throws {
        var cell = SampleRun.cell("a", [2, 4, 6])
        cell.samples.reverse()
        let reference = SampleRun.cell("b", [1, 2, 2])

        let ratio = try #require(Statistics.pairedRatio(of: "time", cell, to: reference))

        #expect(abs(ratio.estimate - 2) < 1e-12)
        #expect(ratio.pairCount == 3)
    }

    @Test func `rounds that one side lacks are left out`() {
        let logs = Statistics.pairedLogRatios(
            of: "time", SampleRun.cell("a", [2, 4, 6, 8]), to: SampleRun.cell("b", [1, 0]))

        #expect(logs == [log(2.0)])
    }

    @Test(arguments: [
        (ratios: [1.1, 1.2, 1.1, 1.15, 1.1], expected: PairedRatio.Direction.higher),
        (ratios: [0.9, 0.8, 0.9, 0.85, 0.9], expected: .lower),
        (ratios: [1.1, 1.2, 1.1, 1.15, 0.99], expected: .unclear),
        (ratios: [1.01, 1.01, 1.01, 1.01, 1.01], expected: .unclear),
        (ratios: [2, 2, 2, 2], expected: .unclear),
    ])
    func `a difference is told only where the whole interval shows it`(
        ratios: [Double], expected: PairedRatio.Direction
    ) throws {
        let ones = SampleRun.cell("b", ratios.map { _ in 1 })

        let ratio = try #require(
            Statistics.pairedRatio(of: "time", SampleRun.cell("a", ratios), to: ones))

        #expect(ratio.direction == expected)
    }

    @Test func `drift that slows both sides changes nothing`() throws {
        let drift = (0..<8).map { 1 + Double($0) }
        let fast = SampleRun.cell("fast", drift)
        let slow = SampleRun.cell("slow", drift.map { $0 * 1.1 })

        let ratio = try #require(Statistics.pairedRatio(of: "time", slow, to: fast))

        #expect(ratio.direction == .higher)
        #expect(abs(ratio.estimate - 1.1) < 1e-9)
    }

    @Test func `identical code is called slower in about .7 % of runs`() {
        var generator = SeededGenerator(seed: testSeed())
        let rule = PairedRule(minimumEffect: 0)
        let trials = 4_000

        let alarms = (0..<trials).count { _ in
            rule.findsSlowdown(
                in: (0..<20).map { _ in Double.random(in: -1...1, using: &generator) })
        }

        // The exact size of the union over all 2²⁰ signs is .00737; four standard errors are .0054.
        #expect(abs(Double(alarms) / Double(trials) - 0.007_37) < 0.005_4)
    }

    @Test func `the detectable effect grows with the noise and is the same for the same seed`() {
        var generator = SeededGenerator(seed: 3)
        let noise = (0..<20).map { _ in Double.random(in: -0.01...0.01, using: &generator) }
        let rule = PairedRule()

        let quiet = rule.minimumDetectableEffect(from: noise, seed: 1)
        let loud = rule.minimumDetectableEffect(from: noise.map { $0 * 10 }, seed: 1)

        #expect(quiet == rule.minimumDetectableEffect(from: noise, seed: 1))
        #expect(quiet.map { (0.025...0.04).contains($0) } == true)
        #expect(loud.map { $0 > 0.06 } == true)
    }

    @Test func `pairs beyond the first look make the detectable effect no smaller`() throws {
        var generator = SeededGenerator(seed: 3)
        let noise = (0..<20).map { _ in Double.random(in: -0.1...0.1, using: &generator) }
        let rule = PairedRule()

        let few = try #require(rule.minimumDetectableEffect(from: noise, seed: 1))
        let many = try #require(
            rule.minimumDetectableEffect(from: noise + noise + noise, seed: 1))

        // The same number of values is drawn. Draws of all 60 pairs would give little more than
        // half.
        #expect((0.9...1.1).contains(many / few))
    }

    @Test func `two pairs can show nothing, and say so`() {
        #expect(PairedRule().minimumDetectableEffect(from: [0, 0.1], seed: 1) == nil)
    }
}
