import Measuring
import RunRecords

/// The answer to a listed question in words, over all of its contests and metrics: "**Does
/// prefetching pay?** By statements, yes: fewer in all 8 cases (1.14× to 301×). By time, not so far:
/// slower in 2 of 3 cases (Message → sender and Message → conversation), undecided in 1 (…)."
struct ListedAnswer {
    /// The same question, by different metrics.
    private let results: [QuestionResult]

    /// - Returns: `nil` unless the result is the first one with its workload and sentence.
    init?(_ result: QuestionResult, among all: [QuestionResult]) {
        results = all.filter {
            $0.workload.name == result.workload.name && $0.question.isListed == true
                && $0.question.sentence == result.question.sentence
        }
        guard results.first?.identifier == result.identifier else { return nil }
    }

    var markdown: String {
        let sentence = results.first?.question.sentence ?? ""
        let parts = results.map(Self.part) + [actOnStatements].compactMap(\.self)
        return "**\(escaped(sentence))** " + parts.joined(separator: " ")
    }

    /// What to act on if it saves statements but no time; `nil` otherwise.
    private var actOnStatements: String? {
        func cases(_ isAsked: (Metric) -> Bool) -> [ListedCase] {
            results.filter { isAsked($0.question.metric) }.flatMap(Self.cases)
        }
        let times = cases(\.isTime)
        let statements = cases { $0.name == Metric.statements.name }
        guard statements.contains(where: { $0.outcome == .pays }),
            times.contains(where: { $0.outcome != .undecided }),
            !times.contains(where: { $0.outcome == .pays })
        else { return nil }
        let isOpen = times.contains { $0.outcome == .undecided }
        return
            "It saves statements but no measurable time here\(isOpen ? " so far" : ""), in a local "
            + "file: act on it only where a statement costs more, such as on a slower disk."
    }

    /// "By statements, yes: fewer in all 8 cases (1.14× to 301×)."
    private static func part(of result: QuestionResult) -> String {
        let cases = cases(of: result)
        let groups = ListedOutcome.allCases.map { outcome in cases.filter { $0.outcome == outcome }
        }
        let details = groups.filter { !$0.isEmpty }.map { told($0, of: cases.count) }
        return "By \(escaped(result.question.metric.title)), "
            + (answer(cases).map { "\($0): " } ?? "") + details.joined(separator: ", ") + "."
    }

    private static func cases(of result: QuestionResult) -> [ListedCase] {
        result.contests.flatMap { contest in
            contest.findings.map { ListedCase($0, contest.contest.label, result.question.metric) }
        }
    }

    /// `nil` if nothing is decided.
    private static func answer(_ cases: [ListedCase]) -> String? {
        guard cases.contains(where: { $0.outcome != .undecided }) else { return nil }
        let pays = cases.count { $0.outcome == .pays }
        if pays == cases.count { return "yes" }
        if pays > 0 {
            let isKnown = cases.contains { $0.outcome == .same || $0.outcome == .costs }
            return isKnown ? "sometimes" : "yes so far"
        }
        return cases.contains { $0.outcome == .undecided } ? "not so far" : "no"
    }

    /// "slower in 2 of 3 cases (Message → sender and Message → conversation)"
    private static func told(_ cases: [ListedCase], of count: Int) -> String {
        guard cases.count < count else {
            let factors = cases.compactMap(\.factor)
            let range = [factors.min(), factors.max()].compactMap(\.self).map(VerdictText.factor)
                .uniqued.joined(separator: " to ")
            return (count == 1 ? cases[0].word : "\(cases[0].word) in all \(count) cases")
                + (factors.count == count ? " (\(range))" : "")
        }
        let labels = cases.count > 3 ? "" : " (\(cases.map(\.label).listed))"
        return "\(cases[0].word) in \(cases.count) of \(count) cases\(labels)"
    }
}

private enum ListedOutcome: CaseIterable {
    case pays, same, costs, undecided
}

/// A case of a listed question: one finding tells whether the technique pays there.
private struct ListedCase {
    let label: String
    let word: String
    let outcome: ListedOutcome
    /// How many times less or more it is; `nil` without such a number.
    let factor: Double?

    init(_ finding: Finding, _ label: String, _ metric: Metric) {
        self.label = escaped(label)
        let word = finding.verdict.word(for: metric)
        self.word = word == "less" && metric.unit == .count ? "fewer" : word
        switch finding.verdict {
        case .less: outcome = metric.polarity == .higherIsBetter ? .costs : .pays
        case .more: outcome = metric.polarity == .higherIsBetter ? .pays : .costs
        case .equivalent: outcome = .same
        case .undecided: outcome = .undecided
        }
        let estimate = finding.verdict.ratio?.estimate ?? 0
        let isFactor = [.pays, .costs].contains(outcome) && estimate > 0 && estimate.isFinite
        factor = isFactor ? max(estimate, 1 / estimate) : nil
    }
}
