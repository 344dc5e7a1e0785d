import Foundation
import Measuring
import Reports
import RunRecords

/// Pairs as a noisy machine would give them, with a known slowdown.
struct SimulatedArms: Hashable, Sendable {
    var model: NoiseModel
    var drift: MachineDrift
    /// The true slowdown of the head, as a share; negative if it is faster.
    var slowdown: Double

    init(_ model: NoiseModel, drift: MachineDrift = .none, slowdown: Double = 0) {
        self.model = model
        self.drift = drift
        self.slowdown = slowdown
    }

    /// The measurements of `count` pairs of one row; the first pair has the number `block`.
    func pairs(
        count: Int, from block: Int = 0, using generator: inout SeededGenerator
    ) -> [PairedSamples.Pair] {
        let levels = drift.levels(count: count, using: &generator)
        return levels.enumerated().map { place, level in
            let noise = model.draw(using: &generator)
            // Each arm has half of the noise; both have the level.
            let base = exp(level - noise / 2)
            let head = exp(level + noise / 2) * (1 + slowdown)
            return PairedSamples.Pair(
                block: block + place, isHeadFirst: Bool.random(using: &generator), base: base,
                head: head, logRatio: log(head / base))
        }
    }

    /// Judges a row as the gate does: a first look, a confirmation of a finding, and up to
    /// `extraLooks` times 10 more pairs while the row is inconclusive.
    func comparison(
        by rule: PairedRule, extraLooks: Int = 0, using generator: inout SeededGenerator
    ) -> Comparison {
        var samples = PairedSamples(
            workload: "simulated", cell: model.name, metric: .time,
            pairs: pairs(count: rule.pairCount, using: &generator))
        var confirmation: [PairedSamples.Pair] = []
        if rule.findsChange(in: samples.pairs.map(\.logRatio)) {
            confirmation = pairs(count: rule.pairCount, from: 1_000, using: &generator)
        }
        let seed = generator.next()
        var comparison = Comparison(of: samples, confirmation: confirmation, by: rule, seed: seed)
        for _ in 0..<extraLooks where comparison.verdict == .inconclusive {
            samples.pairs += pairs(count: 10, from: samples.pairs.count, using: &generator)
            comparison = Comparison(of: samples, confirmation: confirmation, by: rule, seed: seed)
        }
        return comparison
    }
}
