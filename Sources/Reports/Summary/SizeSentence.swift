import Measuring
import RunRecords

/// One sentence on whether the answer of the small run holds at full size.
struct SizeSentence {
    let comparison: SizeComparison

    init(_ comparison: SizeComparison) {
        self.comparison = comparison
    }

    var markdown: String {
        "**\(escaped(comparison.small.question.sentence))** \(parts.joined(separator: " "))"
    }

    private var parts: [String] {
        let count = comparison.small.contests.map(\.cells.count).reduce(0, +)
        let same = count - comparison.changed.count - comparison.undecided.count
        var parts: [String] = []
        if comparison.holds {
            parts.append("The answer is the same.")
        } else if same > 0 {
            parts.append("\(same) of \(count) answers are the same.")
        }
        if !comparison.changed.isEmpty {
            parts.append(
                "Changed: \(comparison.changed.map { told($0.cell) }.joined(separator: "; ")).")
        }
        if !comparison.undecided.isEmpty {
            parts.append("Undecided: \(comparison.undecided.map(name).uniqued.listed).")
        }
        return parts
    }

    /// "nested: the best, at full size equivalent within 10 %".
    private func told(_ cell: String) -> String {
        "\(name(cell)): \(told(cell, comparison.small)), at full size \(told(cell, comparison.full))"
    }

    private func told(_ cell: String, _ result: QuestionResult) -> String {
        for contest in result.contests where contest.contest.cells.contains(cell) {
            guard let finding = contest.finding(of: cell) else { return "the best" }
            return VerdictText(question: result.question, result: contest).told(finding)
        }
        return "not measured"
    }

    private func name(_ cell: String) -> String {
        for contest in comparison.small.contests where contest.contest.cells.contains(cell) {
            let name = VerdictText(question: comparison.small.question, result: contest).name(cell)
            return contest.contest.label.isEmpty
                ? name : "\(name) (\(escaped(contest.contest.label)))"
        }
        return escaped(cell)
    }
}
