import Measuring

/// Into how many parts the error of a cell is divided, for the bounds of a comparison.
///
/// Each cell of a contest that a verdict can be about is a unit, with the same part of the run's
/// error as every other unit.
public struct ErrorShares: Hashable, Sendable {
    /// Both bounds of *equivalent*: only one of them can err, since the ratio lies beyond at most one.
    var equivalence: Int
    /// Each bound of *less* or *more*. They can err only where *equivalent* cannot.
    public var difference: Int
}

extension Contest {
    /// The shares of a comparison with a cell.
    ///
    /// - Without a baseline a cell is compared with all others: it errs by *worse* with each of
    ///   them, and by *equivalent* with the best-looking one.
    /// - A comparison with the baseline has two bounds of a difference.
    /// - Beside a baseline, all others are compared with each other to name the best one: two units
    ///   more, one for *worse* and one for *equivalent*.
    public func errorShares(against reference: String) -> ErrorShares {
        let count = cells.count
        guard let baseline else { return ErrorShares(equivalence: 1, difference: count - 1) }
        guard reference != baseline, count > 2 else {
            return ErrorShares(equivalence: 1, difference: 2)
        }
        return ErrorShares(equivalence: count - 2, difference: (count - 1) * (count - 2))
    }

    /// All shares that comparisons of the contest can have.
    public var errorShares: Set<ErrorShares> { Set(cells.map { errorShares(against: $0) }) }

    /// The parts of the run's error that the contest needs.
    var unitCount: Int {
        guard baseline != nil else { return cells.count }
        return cells.count > 2 ? cells.count + 1 : 1
    }
}
