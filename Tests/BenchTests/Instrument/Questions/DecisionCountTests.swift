import Measuring
import RunRecords
import Testing

@Suite struct `The count of decided comparisons` {
    /// The answers of a question that compares its cells with the best one.
    private func results(_ seconds: [String: [Double]]) -> [QuestionResult] {
        let cells = seconds.sorted { $0.key < $1.key }.map { SampleRun.cell($0.key, $0.value) }
        let question = Question(
            id: "time", sentence: "Which is fastest?", axis: "subject", metric: .time,
            sameWithin: 0.1,
            contests: [
                Contest(
                    label: "", cells: cells.map(\.identifier), values: cells.map(\.identifier))
            ])
        let design = SequentialDesign(contests: question.contests)
        return [QuestionResult(question, of: SampleRun.workload(cells), design)]
    }

    private static let roundCount = 30

    private static func rounds(_ seconds: Double, spread: Double = 0.01) -> [Double] {
        (0..<roundCount).map { seconds * (1 + spread * Double(($0 * 7) % 11 - 5) / 5) }
    }

    @Test func `another cell that becomes the best opens comparisons and takes none back`() {
        let (a, noisy) = (Self.rounds(1), Self.rounds(1.02, spread: 0.5))
        let before = results(["a": a, "b": Self.rounds(1.01), "c": noisy])
        // The noisy cell looks best now, and is compared with the two others.
        let after = results(["a": a, "b": Self.rounds(1.01), "c": noisy.map { $0 * 0.96 }])
        #expect(before[0].contests[0].reference?.subject == "a")
        #expect(after[0].contests[0].reference?.subject == "c")

        var count = DecisionCount()
        count.update(before)
        #expect((count.decidedCount, count.openCount) == (1, 1))
        count.update(after)
        #expect((count.decidedCount, count.openCount) == (1, 2))
    }
}
