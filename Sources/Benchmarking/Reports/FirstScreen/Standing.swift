/// How a cell stands in a contest, as far as that is known.
enum Standing: Hashable {
    case best
    /// Like the best within the question's `sameWithin`.
    case equivalent
    /// Neither known to be worse than the best nor to be like it.
    case undecided
    case worse
    /// The metric has no better, or there is nothing to compare.
    case unknown
}

extension ContestResult {
    func standing(of cell: String, by metric: Metric) -> Standing {
        guard let leader = best.first else { return .unknown }
        guard cell != leader else {
            return findings.isEmpty || findings.contains(where: \.verdict.isDecided)
                ? .best : .undecided
        }
        guard cells.contains(where: {
            $0.identifier == cell && $0.isSound && !$0.values(of: metric.name).isEmpty
        }) else { return .unknown }
        guard best.contains(cell) else { return .worse }
        guard leader == reference?.identifier, let verdict = finding(of: cell)?.verdict else {
            return .best
        }
        switch verdict {
        case .equivalent(let ratio): return ratio.estimate == 1 && ratio.interval == nil ? .best : .equivalent
        case .undecided: return .undecided
        case .less, .more: return .best
        }
    }

    /// Whether all cells are best, so that there is nothing to point at.
    func isUniform(by metric: Metric) -> Bool {
        cells.count > 1
            && cells.allSatisfy { standing(of: $0.identifier, by: metric) == .best }
    }
}
