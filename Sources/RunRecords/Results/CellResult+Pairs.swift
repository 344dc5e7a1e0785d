import Foundation
import Measuring

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

    /// The rounds in which both cells have a value of the metric, which may be 0.
    static func pairCount(of metric: String, _ cell: CellResult, _ other: CellResult) -> Int {
        func rounds(_ cell: CellResult) -> Set<Int> {
            Set(cell.samples.filter { $0.value(of: metric)?.isFinite == true }.map(\.repetition))
        }
        return rounds(cell).intersection(rounds(other)).count
    }

    public static func exponential(_ value: Double) -> Double { exp(value) }
}
