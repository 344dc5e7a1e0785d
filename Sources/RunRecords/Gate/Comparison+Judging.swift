import Foundation
import Measuring

extension Comparison {
    /// Judges a time measured in pairs.
    ///
    /// The row is a change if the pairs of the first `rule.pairCount` blocks show one and the fresh
    /// pairs confirm it. Pairs added after the first look, and those of a confirmation, narrow the
    /// interval and can turn `inconclusive` into `ok`. They never make a finding, so no further
    /// look spends any error. A row without a finding is `inconclusive` if all pairs together
    /// differ. Exchanging the arms mirrors the verdict. Source: measuring §7, steps 6 to 11.
    ///
    /// - Parameter samples: the pairs of the first look, then those added to it.
    /// - Parameter confirmation: fresh pairs, taken because the first look found a change.
    /// - Parameter seed: for the random draws behind the minimum detectable effect.
    public init(
        of samples: PairedSamples, confirmation: [PairedSamples.Pair] = [], by rule: PairedRule,
        seed: UInt64
    ) {
        let pairs = samples.pairs + confirmation
        let logRatios = pairs.map(\.logRatio)
        self.init(
            workload: samples.workload, cell: samples.cell, metric: samples.metric,
            rule: .paired(rule), verdict: .inconclusive,
            base: Statistics.median(pairs.map(\.base)), head: Statistics.median(pairs.map(\.head)),
            ratio: Statistics.median(logRatios).map(exp),
            interval: Statistics.medianInterval(logRatios, confidence: 0.98)?
                .mapped(Statistics.exponential),
            pValue: rule.pValue(of: samples.pairs.firstLook(by: rule)),
            minimumDetectableEffect: rule.minimumDetectableEffect(from: logRatios, seed: seed),
            pairs: samples.pairs, confirmation: confirmation)
        judge(by: rule)
    }

    private mutating func judge(by rule: PairedRule) {
        let found = rule.direction(of: pairs.firstLook(by: rule))
        let confirmed = rule.direction(of: confirmation.map(\.logRatio))
        if let found, found == confirmed {
            let isWorse = (found == .higher) == (metric.polarity != .higherIsBetter)
            verdict = isWorse ? .regressed : .improved
        } else if found != nil, confirmation.isEmpty {
            reason = "a change was found, but fresh pairs have not confirmed it yet"
        } else if let doubt = doubt(by: rule) {
            reason = doubt
        } else {
            verdict = .ok
        }
    }

    /// Why the row cannot rule out the change that it should detect; `nil` if it can.
    private func doubt(by rule: PairedRule) -> String? {
        let detect = rule.detect
        guard !pairs.isEmpty else {
            return "no pair has \(metric.name): a load was saturated or had too few operations"
        }
        guard let effect = minimumDetectableEffect else {
            return "not even a tenfold change would have been seen"
        }
        // Added pairs do not sharpen the first look. Where there are any, only the interval
        // decides.
        guard effect <= detect || pairs.count > rule.pairCount else {
            return "a change of \(percent(detect)) might have been missed"
        }
        guard let interval, interval.lower > 1 / (1 + detect), interval.upper < 1 + detect else {
            return "the interval includes a change of \(percent(detect)), which must be detected"
        }
        let isDifferent = interval.lower > 1 || interval.upper < 1
        if isDifferent, let ratio, abs(log(ratio)) >= log(1 + rule.minimumEffect) {
            return "all pairs together show a change of \(percent(abs(ratio - 1))), "
                + "but the first look or its confirmation did not"
        }
        return nil
    }

    /// Judges a count.
    ///
    /// The row is `ok` if all values of both arms are within the tolerance, and a change if the
    /// arms lie apart by more than that. In between it is `inconclusive`: the count itself varies.
    /// Fewer is better, unless the metric says otherwise. Source: measuring §3.
    public init(
        exact metric: Metric, workload: String, cell: String, base: [Double], head: [Double],
        tolerance: Double
    ) {
        let medians = (base: Statistics.median(base), head: Statistics.median(head))
        self.init(
            workload: workload, cell: cell, metric: metric, rule: .exact(tolerance: tolerance),
            verdict: .inconclusive, base: medians.base, head: medians.head,
            minimumDetectableEffect: tolerance)
        guard let lowestBase = base.min(), let highestBase = base.max(),
            let lowestHead = head.min(), let highestHead = head.max()
        else {
            reason = "\(base.isEmpty ? "the base" : "the head") has no \(metric.name)"
            return
        }
        if let base = medians.base, let head = medians.head, base != 0 { ratio = head / base }
        let factor = 1 + tolerance
        let isMore = lowestHead > highestBase * factor
        let isLess = lowestBase > highestHead * factor
        if isMore || isLess {
            verdict = isMore == (metric.polarity != .higherIsBetter) ? .regressed : .improved
        } else if max(highestBase, highestHead) <= min(lowestBase, lowestHead) * factor {
            verdict = .ok
        } else {
            reason = "the processes of one arm count differently, so a change cannot be told apart"
        }
    }
}

extension PairedRule {
    /// The direction of the change that the pairs show at one look; `nil` if they show none.
    public func direction(of logRatios: [Double]) -> Direction? {
        let test = PairedTest(self, count: logRatios.count)
        if test.findsSlowdown(in: logRatios) { return .higher }
        if test.findsSlowdown(in: logRatios.map(-)) { return .lower }
        return nil
    }

    public enum Direction {
        case higher, lower
    }

    /// The probability that identical code differs at least this much in this direction. The rule
    /// finds a difference if this is at most `alpha` and the effect is large enough. `nil` without
    /// pairs.
    ///
    /// The smaller of the two tests' p values, each divided by its share of the error. It is an
    /// upper bound, however the tests depend on each other.
    public func pValue(of logRatios: [Double]) -> Double? {
        guard let middle = Statistics.median(logRatios) else { return nil }
        let directed = middle < 0 ? logRatios.map(-) : logRatios
        let values = [
            Statistics.signTest(directed).map { $0 / 0.6 },
            Statistics.signedRankTest(directed).map { $0 / 0.4 },
        ]
        return values.compactMap(\.self).min().map { min($0, 1) }
    }
}
