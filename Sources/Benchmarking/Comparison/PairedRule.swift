import Foundation

/// The rule that calls a paired difference a slowdown: a sign test or a signed-rank test that share
/// the error `alpha` 60 to 40, and an estimate of at least `minimumEffect`.
///
/// It assumes nothing of the noise, only that the order within pairs was random.
/// Source: instrument §2.4, items 6 and 8; at n = 20 it asks for 16 equal signs or W₊ ≥ 175.
public struct PairedRule: Codable, Hashable, Sendable {
    /// The chance of a false alarm on identical code, one direction.
    public var alpha: Double
    /// The smallest slowdown worth telling, as a share: 0.025 is 2.5 %.
    public var minimumEffect: Double

    public init(alpha: Double = 0.01, minimumEffect: Double = 0.025) {
        self.alpha = alpha
        self.minimumEffect = minimumEffect
    }

    /// Whether ln(new / old) of the pairs shows a slowdown.
    public func findsSlowdown(in logRatios: [Double]) -> Bool {
        guard let effect = Statistics.median(logRatios), effect >= log(1 + minimumEffect) else {
            return false
        }
        if let p = Statistics.signTest(logRatios), p <= 0.6 * alpha { return true }
        if let p = Statistics.signedRankTest(logRatios), p <= 0.4 * alpha { return true }
        return false
    }

    /// The smallest slowdown, as a share, that the rule would find in 95 % of repetitions of this
    /// experiment; nil for fewer than 2 pairs, or when not even a doubled time would be found.
    ///
    /// The differences are centred on their median and drawn with replacement 1,000 times; the
    /// smallest shift under which the rule fires in 950 of the draws is found by bisection to
    /// 0.05 %. The same seed gives the same answer. Source: instrument §2.4, item 11.
    public func minimumDetectableEffect(from logRatios: [Double], seed: UInt64) -> Double? {
        guard logRatios.count >= 2, let middle = Statistics.median(logRatios) else { return nil }
        let centred = logRatios.map { $0 - middle }
        var generator = SeededGenerator(seed: seed)
        let draws = (0..<1_000).map { _ in
            centred.map { _ in centred.randomElement(using: &generator) ?? 0 }
        }
        func finds(_ effect: Double) -> Bool {
            let shift = log(1 + effect)
            return draws.count { draw in findsSlowdown(in: draw.map { $0 + shift }) } >= 950
        }
        var tooSmall = 0.0
        var found = 1.0
        guard finds(found) else { return nil }
        while found - tooSmall > 0.000_5 {
            let middle = (tooSmall + found) / 2
            if finds(middle) { found = middle } else { tooSmall = middle }
        }
        return found
    }
}
