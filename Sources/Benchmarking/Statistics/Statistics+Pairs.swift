import Foundation

/// The factor between two cells, from samples of the same rounds.
public struct PairedRatio: Hashable, Sendable {
    /// The median of the rounds' ratios.
    public var estimate: Double
    /// `nil` with fewer than 2 rounds.
    public var interval: MedianInterval?
    public var pairCount: Int

    /// With fewer rounds than this, no difference is reported: 5 rounds all agree by chance in 6 %
    /// of cases, 4 rounds in 12 %.
    public static let pairsNeeded = 5
    /// Smaller differences are not reported: the layout of a binary alone moves times by as much.
    public static let smallestDifference = 0.02

    /// The direction of the difference; `unclear` if it may be chance.
    public enum Direction: Sendable {
        case lower, higher, unclear
    }

    /// Lower or higher only if the whole interval is more than ``smallestDifference`` from 1 and
    /// there are ``pairsNeeded`` rounds.
    public var direction: Direction {
        guard pairCount >= Self.pairsNeeded, let interval else { return .unclear }
        if interval.upper < 1 / (1 + Self.smallestDifference) { return .lower }
        if interval.lower > 1 + Self.smallestDifference { return .higher }
        return .unclear
    }
}

extension Statistics {
    /// The ratio of a metric of two cells; `nil` if no round has values above 0 for both.
    public static func pairedRatio(
        of metric: String, _ cell: CellResult, to reference: CellResult
    ) -> PairedRatio? {
        let logRatios = pairedLogRatios(of: metric, cell, to: reference)
        guard let middle = median(logRatios) else { return nil }
        return PairedRatio(
            estimate: exp(middle), interval: medianInterval(logRatios)?.mapped(exponential),
            pairCount: logRatios.count)
    }

    /// ln(cell / reference) of each round with values above 0 for both, in the order of rounds.
    ///
    /// - Parameter offset: added to both values, so that counts may be 0.
    /// - Parameter least: smaller values count as this one.
    public static func pairedLogRatios(
        of metric: String, _ cell: CellResult, to reference: CellResult, plus offset: Double = 0,
        atLeast least: Double = 0
    ) -> [Double] {
        let references = Dictionary(
            reference.samples.map { ($0.repetition, $0) }, uniquingKeysWith: { _, last in last })
        let ordered = cell.samples.sorted { $0.repetition < $1.repetition }
        return ordered.compactMap { sample -> Double? in
            guard let value = sample.value(of: metric), value + offset > 0, value.isFinite,
                let other = references[sample.repetition]?.value(of: metric), other + offset > 0,
                other.isFinite
            else { return nil }
            return log((max(value, least) + offset) / (max(other, least) + offset))
        }
    }

    static func exponential(_ value: Double) -> Double { exp(value) }
}
