import Measuring

extension Comparison {
    /// Whether the first look alone called the head worse.
    public var isFirstLookAlarm: Bool {
        guard case .paired(let rule) = rule else { return false }
        let found = rule.direction(of: pairs.firstLook(by: rule))
        return found == (metric.polarity == .higherIsBetter ? .lower : .higher)
    }

    /// Whether exchanging base and head mirrors the verdict.
    public func mirrors(by rule: PairedRule) -> Bool {
        let samples = PairedSamples(workload: workload, cell: cell, metric: metric, pairs: pairs)
        let swapped = Comparison(
            of: samples.swapped, confirmation: confirmation.map(\.swapped), by: rule, seed: 0)
        let straight = Comparison(of: samples, confirmation: confirmation, by: rule, seed: 0)
        return swapped.verdict == straight.verdict.mirrored
    }
}

extension PairedSamples {
    /// Base and head exchanged.
    fileprivate var swapped: PairedSamples {
        var result = self
        result.pairs = pairs.map(\.swapped)
        return result
    }
}

extension PairedSamples.Pair {
    /// Base and head exchanged.
    fileprivate var swapped: Self {
        Self(
            block: block, isHeadFirst: !isHeadFirst, base: head, head: base, logRatio: -logRatio)
    }
}
