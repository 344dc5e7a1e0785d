import Measuring
import RunRecords

/// The answer to a question in one sentence, for all of its contests.
struct QuestionSentence {
    let result: QuestionResult

    private var question: Question { result.question }
    /// Further contests are only counted; the section of the workload lists all.
    private static let contestsListedMax = 6

    init(_ result: QuestionResult) {
        self.result = result
    }

    /// "**Does a batch size pay?** `fetchBatchSize` 20 against 0: 2.1× faster [1.9, 2.3] with
    /// extent first-page, …".
    var markdown: String { "**\(escaped(question.sentence))** \(answer)" }

    var answer: String {
        let shown = Array(result.contests.prefix(Self.contestsListedMax))
        let hidden = result.contests.count - shown.count
        let more = hidden > 0 ? " \(hidden) more \(hidden == 1 ? "case" : "cases") below." : ""
        let hasBaseline = shown.allSatisfy { $0.contest.baseline != nil }
        return (hasBaseline ? againstBaseline(shown) : againstBest(shown)) + "." + more
    }

    /// Groups contests by the pair of values, since the baseline is the same in each.
    private func againstBaseline(_ contests: [ContestResult]) -> String {
        let findings = contests.flatMap { contest in
            let text = VerdictText(question: question, result: contest)
            return contest.findings.map { finding in
                (
                    pair: "\(text.name(finding.cell)) against \(text.name(finding.reference))",
                    told: text.told(finding) + place(of: contest)
                )
            }
        }
        return findings.map(\.pair).uniqued.map { pair in
            let parts = findings.filter { $0.pair == pair }.map(\.told)
            return "\(axis)\(pair): \(parts.joined(separator: ", "))"
        }.joined(separator: "; ")
    }

    private func againstBest(_ contests: [ContestResult]) -> String {
        contests.map { contest in
            let text = VerdictText(question: question, result: contest)
            guard let reference = contest.reference else {
                return "nothing was measured" + place(of: contest)
            }
            let rest = contest.findings.map { "\(text.name($0.cell)) \(text.told($0))" }
            let value = text.value(of: reference.identifier).map { " (\($0))" } ?? ""
            return
                "\(axis)\(text.name(reference.identifier)) \(superlative(contest))\(value)\(place(of: contest))"
                + (rest.isEmpty ? "" : ", \(rest.joined(separator: ", "))")
        }.joined(separator: "; ")
    }

    /// "is the fastest", or "is the fastest so far" if more rounds may change that.
    private func superlative(_ contest: ContestResult) -> String {
        let word =
            question.metric.isTime
            ? "the fastest"
            : "has the \(question.metric.polarity == .higherIsBetter ? "most" : "least")"
        let isOpen = contest.findings.contains { finding in
            switch finding.verdict.remedy {
            case nil, .measurement: false
            default: true
            }
        }
        return (question.metric.isTime ? "is \(word)" : "\(word) \(question.metric.title)")
            + (isOpen ? " so far" : "")
    }

    private var axis: String { question.axisName.map { "`\($0)` " } ?? "" }

    private func place(of contest: ContestResult) -> String {
        contest.contest.label.isEmpty ? "" : " with \(escaped(contest.contest.label))"
    }
}

extension Question {
    /// The name of a parameter before its values; subjects and lock policies need none.
    var axisName: String? { ["subject", "lockPolicy"].contains(axis) ? nil : axis }
}
