import Measuring

/// A question asked at two sizes: does the answer at the small size hold at the full one?
public struct SizeComparison: Sendable {
    public let small: QuestionResult
    public let full: QuestionResult
    /// The cells with a different answer at full size.
    public let changed: [Change]
    /// The ``CellResult/identifier`` of each cell that is undecided at one of the sizes.
    public let undecided: [String]

    /// A cell whose answers differ.
    public struct Change: Hashable, Sendable {
        public let cell: String
        public let small: Standing
        public let full: Standing
    }

    /// The answer of a question about a cell.
    public enum Standing: Hashable, Sendable {
        /// One of the best, or the cell with which others are compared.
        case best
        case less, more, equivalent
    }

    public var holds: Bool { changed.isEmpty && undecided.isEmpty }
}

extension Run {
    /// The questions of this run that were asked at two sizes, in the order of the small ones.
    public var sizeComparisons: [SizeComparison] {
        let results = questionResults
        return results.compactMap { full in
            guard let name = full.workload.smallName,
                let small = results.first(where: {
                    $0.workload.name == name && $0.question.id == full.question.id
                })
            else { return nil }
            return SizeComparison(small, full)
        }
    }
}

extension SizeComparison {
    public init(_ small: QuestionResult, _ full: QuestionResult) {
        self.small = small
        self.full = full
        var changed: [Change] = []
        var undecided: [String] = []
        for (smallContest, fullContest) in zip(small.contests, full.contests) {
            for cell in smallContest.contest.cells {
                guard let before = smallContest.standing(of: cell),
                    let after = fullContest.standing(of: cell)
                else {
                    undecided.append(cell)
                    continue
                }
                if before != after {
                    changed.append(Change(cell: cell, small: before, full: after))
                }
            }
        }
        self.changed = changed
        self.undecided = undecided
    }
}

extension ContestResult {
    /// `nil` while undecided. If each cell is compared with the best, those equivalent to it count
    /// as best.
    fileprivate func standing(of cell: String) -> SizeComparison.Standing? {
        if cell == reference?.identifier { return .best }
        switch finding(of: cell)?.verdict {
        case .less: return .less
        case .more: return .more
        case .equivalent: return contest.baseline == nil ? .best : .equivalent
        case .undecided, nil: return nil
        }
    }
}
