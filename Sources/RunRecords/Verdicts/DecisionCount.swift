/// How many comparisons are decided and open while a run goes on.
///
/// A contest without a baseline compares its cells with the best so far. If another cell becomes the
/// best, it has to be compared with the others: these comparisons are open, and those with the
/// earlier one stay decided.
public struct DecisionCount {
    /// A pair of cells of a contest.
    private struct Comparison: Hashable {
        var workload: String
        var question: String
        var contest: Int
        var cells: Set<String>
    }

    private var decided: Set<Comparison> = []
    /// The comparisons that are not decided.
    public private(set) var openCount = 0
    /// The comparisons that were decided at any time. Never falls.
    public var decidedCount: Int { decided.count }

    public init() {}

    /// - Parameter results: all questions of the run, with their answers so far.
    public mutating func update(_ results: [QuestionResult]) {
        openCount = 0
        for result in results {
            for (place, contest) in result.contests.enumerated() {
                for finding in contest.findings {
                    let comparison = Comparison(
                        workload: result.workload.name, question: result.question.id,
                        contest: place, cells: [finding.cell, finding.reference])
                    if finding.verdict.isDecided { decided.insert(comparison) }
                    if !decided.contains(comparison) { openCount += 1 }
                }
            }
        }
    }
}
