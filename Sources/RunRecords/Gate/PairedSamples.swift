import Foundation
import Measuring

/// One metric of one cell, measured in pairs of processes: the input of a paired comparison.
public struct PairedSamples: Codable, Hashable, Sendable {
    /// ``WorkloadResult/name``.
    public var workload: String
    /// ``CellResult/identifier``.
    public var cell: String
    public var metric: Metric
    /// In the order in which they were taken.
    public var pairs: [Pair]

    public init(workload: String, cell: String, metric: Metric, pairs: [Pair] = []) {
        self.workload = workload
        self.cell = cell
        self.metric = metric
        self.pairs = pairs
    }

    /// A process of the base and a process of the head that took turns.
    public struct Pair: Codable, Hashable, Sendable {
        /// The block of the run in which the pair was scheduled, from 0. It is always given, never
        /// inferred.
        public var block: Int
        /// Whether the head's process started first; random.
        public var isHeadFirst: Bool
        /// The median over the rounds, in the metric's unit.
        public var base: Double
        public var head: Double
        /// ln(head / base), as ``Centre`` makes it from the rounds.
        public var logRatio: Double

        public init(block: Int, isHeadFirst: Bool, base: Double, head: Double, logRatio: Double) {
            self.block = block
            self.isHeadFirst = isHeadFirst
            self.base = base
            self.head = head
            self.logRatio = logRatio
        }
    }

    /// How the rounds of a pair are combined into one number. Source: measuring §7, step 4.
    public enum Centre: String, Codable, Sendable {
        /// For work on one thread: its noise has heavy tails.
        case median
        /// For work with contention: its rounds are noisy, but without heavy tails. Drops 20 % at
        /// each end.
        case trimmedMean
    }
}

extension PairedSamples.Pair {
    /// Combines the values of the rounds; `nil` if no round has both values above 0.
    public init?(
        block: Int, isHeadFirst: Bool, baseRounds: [Double], headRounds: [Double],
        centre: PairedSamples.Centre
    ) {
        let logRatios = zip(baseRounds, headRounds).compactMap { base, head in
            base > 0 && head > 0 && base.isFinite && head.isFinite ? log(head / base) : nil
        }
        let middle =
            switch centre {
            case .median: Statistics.median(logRatios)
            case .trimmedMean: Statistics.trimmedMean(logRatios)
            }
        guard let middle, let base = Statistics.median(baseRounds),
            let head = Statistics.median(headRounds)
        else { return nil }
        self.init(
            block: block, isHeadFirst: isHeadFirst, base: base, head: head, logRatio: middle)
    }
}

extension [PairedSamples.Pair] {
    /// ln(head / base) of the first look. Later pairs do not replace missing ones, such as those of
    /// a saturated load: they never make a finding.
    func firstLook(by rule: PairedRule) -> [Double] {
        filter { $0.block < rule.pairCount }.map(\.logRatio)
    }
}
