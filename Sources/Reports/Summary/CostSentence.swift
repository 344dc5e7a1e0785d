import Measuring
import RunRecords

/// One thing that questions list, and what would make it cheaper: "**Message → sender**: 1,549
/// statements, 310 ms. With `prefetching`: 31× fewer statements (50 instead of 1,549), 4.2× faster
/// [3.9, 4.5]."
struct CostSentence {
    private static let listedMax = 8

    private let label: String
    /// The contests with that label, one for each question that has it.
    private var contests: [(question: Question, result: ContestResult)] = []

    /// The sentences of the listed questions of all workloads, the most expensive thing first. What
    /// comes after the first few of a workload is only counted.
    static func first(of results: [QuestionResult]) -> [String] { sentences(results, listedMax) }

    /// The sentences of all things, the most expensive one first.
    static func all(of results: [QuestionResult]) -> [String] { sentences(results, .max) }

    private static func sentences(_ results: [QuestionResult], _ most: Int) -> [String] {
        let listed = results.filter { $0.question.isListed == true }
        return listed.map(\.workload.name).uniqued.flatMap { workload in
            var sentences: [CostSentence] = []
            for result in listed where result.workload.name == workload {
                for contest in result.contests {
                    let label = contest.contest.label
                    let place = sentences.firstIndex { $0.label == label } ?? sentences.count
                    if place == sentences.count { sentences.append(CostSentence(label: label)) }
                    sentences[place].contests.append((result.question, contest))
                }
            }
            sentences.sort { $0.cost > $1.cost }
            let rest = sentences.count - most
            return sentences.prefix(most).map(\.markdown)
                + (rest > 0 ? ["\(rest) more, which cost less, below."] : [])
        }
    }

    private init(label: String) {
        self.label = label
    }

    /// What the baseline costs, by the first question.
    private var cost: Double {
        guard let (question, result) = contests.first, let reference = result.reference else {
            return 0
        }
        return Statistics.median(reference.values(of: question.metric.name)) ?? 0
    }

    private var markdown: String {
        let costs = contests.compactMap { question, result in
            result.reference.flatMap {
                VerdictText(question: question, result: result).value(of: $0.identifier)
            }.map { question.metric.isTime ? $0 : "\($0) \(escaped(question.metric.title))" }
        }
        var told: [(name: String, words: [String])] = []
        for (question, result) in contests {
            let text = VerdictText(question: question, result: result)
            for finding in result.findings {
                let value = text.name(finding.cell)
                let name =
                    value == "yes" ? "With `\(question.axis)`" : "`\(question.axis)` \(value)"
                let isDecided = finding.verdict.isDecided
                let words = (isDecided ? "" : "\(question.metric.title) ") + text.told(finding)
                if let place = told.firstIndex(where: { $0.name == name }) {
                    told[place].words.append(words)
                } else {
                    told.append((name, [words]))
                }
            }
        }
        let remedies = told.map { "\($0.name): \($0.words.joined(separator: ", "))" }
        return "**\(escaped(label))**: \(costs.joined(separator: ", ")). "
            + remedies.joined(separator: "; ") + "."
    }
}
