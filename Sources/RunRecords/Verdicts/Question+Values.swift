import Measuring

extension Question {
    /// The values of the metric that decide the question.
    public func values(of cell: CellResult) -> [Double] {
        let measured = isExact ? [] : cell.samples.compactMap { $0.value(of: metric.name) }
        return measured.isEmpty ? cell.values(of: metric.name) : measured.filter(\.isFinite)
    }

    /// Whether the typical value of the cell counts as ``sameBelow``.
    public func isFloored(_ cell: CellResult) -> Bool {
        guard let sameBelow, let typical = Statistics.median(values(of: cell)) else { return false }
        return typical <= sameBelow
    }

    /// Whether a difference certainly matters: all of its interval lies beyond ``sameWithin``.
    public func matters(_ ratio: Finding.Ratio) -> Bool {
        guard let interval = ratio.interval else { return isExact }
        let bound = 1 + sameWithin
        return interval.lowerBound > bound || interval.upperBound < 1 / bound
    }
}
