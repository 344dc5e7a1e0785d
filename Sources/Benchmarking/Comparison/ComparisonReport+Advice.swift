import Foundation

extension ComparisonReport {
    /// Tells which rows of two runs that were not made together differ: those that a
    /// Benjamini–Hochberg procedure over all of them keeps at 5 %, and that differ by their minimum
    /// effect. The others stay `inconclusive`: nothing here can say `ok`.
    ///
    /// Source: instrument §2.4, item 12.
    public mutating func tellAdvisoryRows() {
        let advisory = rows.indices.filter { rows[$0].rule.isAdvisory && rows[$0].pValue != nil }
        let kept = Statistics.discoveries(advisory.map { rows[$0].pValue ?? 1 })
        for (index, isKept) in zip(advisory, kept) where isKept {
            guard let ratio = rows[index].ratio, case .unpaired(let effect) = rows[index].rule,
                abs(log(ratio)) >= log(1 + effect)
            else { continue }
            let isWorse = (ratio > 1) == (rows[index].metric.polarity != .higherIsBetter)
            rows[index].verdict = isWorse ? .regressed : .improved
            rows[index].reason = nil
        }
    }
}
