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
    public static func pairedLogRatios(
        of metric: String, _ cell: CellResult, to reference: CellResult
    ) -> [Double] {
        let references = Dictionary(
            reference.samples.map { ($0.repetition, $0) }, uniquingKeysWith: { _, last in last })
        let ordered = cell.samples.sorted { $0.repetition < $1.repetition }
        return ordered.compactMap { sample -> Double? in
            guard let value = sample.value(of: metric), value > 0, value.isFinite,
                let other = references[sample.repetition]?.value(of: metric), other > 0,
                other.isFinite
            else { return nil }
            return log(value / other)
        }
    }

    static func exponential(_ value: Double) -> Double { exp(value) }
}
