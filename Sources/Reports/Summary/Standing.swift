import Measuring
import RunRecords

/// How a cell did in a contest, as far as that is known.
enum Standing: Hashable {
    case best
    /// Equal to the best, within the question's `sameWithin`.
    case equivalent
    /// Not known to be worse than the best, nor equivalent to it.
    case undecided
    case worse
    /// The metric has no better direction, or the cell cannot be compared.
    case unknown
}

extension ContestResult {
    func standing(of cell: String) -> Standing {
        guard let leader = best.first, !isObstructed(cell) else { return .unknown }
        guard cell != leader else {
            let isKnown = findings.contains {
                $0.reference == reference?.identifier && $0.verdict.isDecided
            }
            return findings.isEmpty || isKnown ? .best : .undecided
        }
        guard best.contains(cell) else { return .worse }
        return switch contenders.first(where: { $0.cell == cell })?.verdict {
        case .equivalent(let ratio):
            ratio.estimate == 1 && ratio.interval == nil ? .best : .equivalent
        case .undecided: .undecided
        default: .best
        }
    }

    /// Whether all cells are best, so that there is nothing to mark.
    var isUniform: Bool {
        cells.count > 1 && cells.allSatisfy { standing(of: $0.identifier) == .best }
    }

    private func isObstructed(_ cell: String) -> Bool {
        if case .measurement? = finding(of: cell)?.verdict.remedy { return true }
        return !cells.contains { $0.identifier == cell && $0.isSound }
    }
}
