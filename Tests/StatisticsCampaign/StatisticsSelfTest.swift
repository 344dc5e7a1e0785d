import Foundation
import Measuring
import Reports
import RunRecords

/// The paired rule on known noise: how often it alarms on identical code, and how often it finds a
/// real change. Source: measuring §9, items 1, 2 and 6.
struct StatisticsSelfTest: Sendable {
    private let seed: UInt64
    private let drawCount: Int

    /// - Parameter drawCount: the simulated looks for each figure; 20,000 take seconds in a release
    ///   build.
    init(seed: UInt64, drawCount: Int = 20_000) {
        self.seed = seed
        self.drawCount = drawCount
    }

    /// Runs all checks.
    func report() -> SelfTestReport {
        var report = SelfTestReport(
            "The paired rule on simulated noise (seed \(seed), \(drawCount) draws)")
        for reference in ReferenceRates.all { compare(reference, into: &report) }
        checkSize(into: &report)
        checkDrift(into: &report)
        SimulatedGate(seed: seed).check(into: &report)
        StallSimulation(seed: seed).check(into: &report)
        NegativeControls(seed: seed).check(into: &report)
        return report
    }

    /// The shifts that two independent looks would need. They give the rates for every slowdown at
    /// once.
    private func shifts(
        _ model: NoiseModel, by test: PairedTest, count: Int
    ) -> (first: [Double], both: [Double]) {
        let first = shifts(model, by: test, count: count, seed: seed)
        let second = shifts(model, by: test, count: count, seed: ~seed)
        return (first, zip(first, second).map(max))
    }

    private func shifts(
        _ model: NoiseModel, by test: PairedTest, count: Int, seed: UInt64
    ) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        return (0..<drawCount).map { _ in
            test.shiftNeeded(for: (0..<count).map { _ in model.draw(using: &generator) })
        }
    }

    private func compare(_ reference: ReferenceRates, into report: inout SelfTestReport) {
        let shifts = shifts(
            reference.model, by: PairedTest(PairedRule(), count: 20), count: 20)
        for expected in reference.rates {
            let slowdown = log(1 + expected.slowdown)
            let name = "\(reference.model.name), +\(fixed(expected.slowdown * 100, 0)) %"
            report.check(
                "\(name), first look", share(of: shifts.first) { $0 < slowdown },
                in: allowed(around: expected.first))
            report.check(
                "\(name), both looks", share(of: shifts.both) { $0 < slowdown },
                in: allowed(around: expected.both))
        }
    }

    /// Without a minimum effect, the rate on identical code is the exact joint size of the two
    /// tests, whatever the noise.
    private func checkSize(into report: inout SelfTestReport) {
        let test = PairedTest(PairedRule(minimumEffect: 0), count: 20)
        let veryHeavy = NoiseModel("very heavy tails", spread: 0.01, tailShare: 0.5, tailSpread: 1)
        for model in [.pinned, .backToBack, veryHeavy] {
            report.check(
                "identical code, no minimum effect, \(model.name)",
                share(of: shifts(model, by: test, count: 20, seed: seed)) { $0 < 0 },
                in: allowed(around: ".00737"))
        }
    }

    /// A drift that slows both arms alike must not change a verdict: the ratios of the pairs are
    /// the same as without it.
    private func checkDrift(into report: inout SelfTestReport) {
        for drift in MachineDrift.allCases where drift != .none {
            let differing = (0..<200).count { round in
                findings(under: drift, slowdown: 0.03, round: round)
                    != findings(under: .none, slowdown: 0.03, round: round)
            }
            report.check("verdicts changed by \(drift) drift of both arms", differing, atMost: 0)
        }
    }

    private func findings(under drift: MachineDrift, slowdown: Double, round: Int) -> Bool {
        // Noise and drift have separate generators, so that both sides get the same noise.
        var noise = SeededGenerator(seed: seed &+ UInt64(round))
        var wandering = SeededGenerator(seed: seed ^ UInt64(round))
        let levels = drift.levels(count: 20, using: &wandering)
        let logRatios = levels.map { level in
            let noise = NoiseModel.writeAheadLog.draw(using: &noise)
            return log(exp(level + noise) * (1 + slowdown) / exp(level))
        }
        return PairedRule().findsSlowdown(in: logRatios)
    }

    private func share(of values: [Double], where holds: (Double) -> Bool) -> Double {
        Double(values.count(where: holds)) / Double(values.count)
    }

    /// Four binomial standard errors of the difference of two simulations, plus the rounding of the
    /// reference. A rate of 0 may be one that was too rare to be seen there.
    private func allowed(around rate: ReferenceRates.Rate) -> ClosedRange<Double> {
        let rates = [rate.value - rate.rounding, rate.value, rate.value + rate.rounding]
        let variance = rates.map { $0 * (1 - $0) }.max() ?? 0
        let both = 1 / Double(drawCount) + 1 / Double(ReferenceRates.drawCount)
        let slack = 4 * (variance * both).squareRoot() + rate.rounding
        return (rate.value - slack)...(rate.value + slack)
    }
}
