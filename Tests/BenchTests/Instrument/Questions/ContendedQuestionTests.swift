import Testing

@testable import RunRecords

/// A count that repeats decides a question at once. Under contention it depends on the schedule
/// (measuring §3).
@Suite struct `A question about a count` {
    private func verdict(isContended: Bool?) -> Finding.Verdict? {
        // The counting pass saw no difference, the rounds did.
        func cell(_ subject: String, conflicts: Int64) -> CellResult {
            var cell = SampleRun.cell(subject, Array(repeating: 1, count: 30))
            for index in cell.samples.indices {
                cell.samples[index].counters["conflicts"] = conflicts
            }
            cell.counts = Sample(
                repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                counters: ["conflicts": 0])
            return cell
        }
        let cells = [cell("shared", conflicts: 7), cell("single", conflicts: 0)]
        let question = Question(
            id: "conflicts", sentence: "How many saves are refused?", axis: "subject",
            metric: .conflicts, sameWithin: 0.5, isContended: isContended,
            contests: [
                Contest(
                    label: "", cells: cells.map(\.identifier), values: ["shared", "single"],
                    baseline: cells[0].identifier)
            ])
        return QuestionResult(
            question, of: SampleRun.workload(cells),
            SequentialDesign(contests: question.contestsWithError)
        ).contests[0].findings.first?.verdict
    }

    @Test func `is decided by the counting pass if one thread works at a time`() {
        #expect(verdict(isContended: nil) == .equivalent(.init(estimate: 1)))
    }

    @Test func `is decided by rounds under contention`() {
        guard case .less(let ratio) = verdict(isContended: true) else {
            Issue.record("one of eight conflicts and more should be less")
            return
        }
        #expect(abs(ratio.estimate - 1.0 / 8) < 0.001)
    }
}
