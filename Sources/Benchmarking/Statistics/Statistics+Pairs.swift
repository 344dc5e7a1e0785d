import Foundation

/// By which factor one cell differs from another, from samples of the same rounds.
public struct PairedRatio: Hashable, Sendable {
    /// The median of the rounds' ratios.
    public var estimate: Double
    /// Nil with fewer than 2 rounds.
    public var interval: MedianInterval?
    public var pairCount: Int

    /// With fewer rounds than this, no difference is called one: of 5 rounds, all agree by mere
    /// chance in 6 % of cases, of 4 in 12 %.
    public static let pairsNeeded = 5
    /// Differences up to this are called none: the layout of a binary alone moves times by as much.
    public static let smallestDifference = 0.02

    /// Which way the difference goes, or that it cannot be told from chance.
    public enum Direction: Sendable {
        case lower, higher, unclear
    }

    /// Lower or higher only where the whole interval lies more than
    /// ``smallestDifference`` from 1 and there are ``pairsNeeded`` rounds.
    public var direction: Direction {
        guard pairCount >= Self.pairsNeeded, let interval else { return .unclear }
        if interval.upper < 1 / (1 + Self.smallestDifference) { return .lower }
        if interval.lower > 1 + Self.smallestDifference { return .higher }
        return .unclear
    }
}

extension Statistics {
    /// The ratio of a metric of two cells; nil when no round has a value above 0 of both.
    public static func pairedRatio(
        of metric: String, _ cell: CellResult, to reference: CellResult
    ) -> PairedRatio? {
        let logRatios = pairedLogRatios(of: metric, cell, to: reference)
        guard let middle = median(logRatios) else { return nil }
        return PairedRatio(
            estimate: exp(middle), interval: medianInterval(logRatios)?.mapped(exponential),
            pairCount: logRatios.count)
    }

    /// ln(cell / reference) of each round that has a value above 0 of both, in the order of
    /// rounds.
    ///
    /// - Parameter offset: added to both values, so that counts may be 0.
    /// - Parameter least: what smaller values count as.
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
