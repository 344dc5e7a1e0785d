import Foundation
import Measuring
import Reports
import RunRecords
import Testing

/// The line that says why a run ended without deciding a question.
@Suite struct `A run that stops says why` {
    private static let parameter = "size"

    /// A question about two cells whose rounds take 2 seconds.
    private func report(
        _ logRatios: [Double], secondsLeft: Double?,
        _ change: (inout WorkloadResult) -> Void = { _ in }
    ) -> StopReport {
        let ratios = [Array(repeating: 1.0, count: logRatios.count), logRatios.map { exp($0) }]
        var cells = zip(["0", "50"], ratios).map { value, seconds in
            SampleRun.cell("shared", seconds, parameters: [Self.parameter: value])
        }
        for (cell, place) in cells.indices.flatMap({ cell in
            cells[cell].samples.indices.map { (cell, $0) }
        }) {
            cells[cell].samples[place].metrics[Metric.sampleSeconds.name] = 1
        }
        let question = Question(
            id: "time", sentence: "Does a size pay?", axis: Self.parameter, metric: .time,
            sameWithin: 0.1,
            contests: [
                Contest(
                    label: "", cells: cells.map(\.identifier), values: ["0", "50"],
                    baseline: cells[0].identifier)
            ])
        var workload = SampleRun.workload(cells)
        change(&workload)
        let design = SequentialDesign(contests: question.contests)
        return StopReport(
            [QuestionResult(question, of: workload, design)], design, secondsLeft: secondsLeft,
            command: "bench run --resume RUN")
    }

    private func stop(
        _ logRatios: [Double], secondsLeft: Double?,
        _ change: (inout WorkloadResult) -> Void = { _ in }
    ) -> String? {
        let report = report(logRatios, secondsLeft: secondsLeft, change)
        #expect(report.sentences.count < 2)
        return report.sentences.first
    }

    /// Rounds that need some forty to be decided.
    private static let spread = [0.12, -0.15, 0.2, -0.11, 0.02]
    /// Rounds that no number seems to decide.
    private static let noise = [1.5, -1.2, 1.3, -1.6, 0.1]

    @Test func `the rounds that are needed, what they take, what is left and what to type`() throws
    {
        let report = report(Self.spread, secondsLeft: 10)

        let text = try #require(report.sentences.first)
        #expect(
            text.wholeMatch(
                of:
                    /import\.time stopped: \d+ more rounds of its 2 open cells would take \d+ (seconds|minutes), and the budget has 10 seconds left/
            ) != nil, "\(text)")
        let command = try #require(report.command)
        #expect(
            command.wholeMatch(of: /bench run --resume RUN --budget \d+m/) != nil, "\(command)")
    }

    @Test func `a budget that is spent has nothing left`() throws {
        let text = try #require(stop(Self.spread, secondsLeft: -1))
        #expect(
            text.contains(
                "more rounds of its 2 open cells would be needed, and the budget is spent"))
    }

    @Test func `noise and the rounds to the next look`() throws {
        let text = try #require(stop(Self.noise, secondsLeft: 2))
        #expect(text.contains("stopped: this machine is too noisy"), "\(text)")
        #expect(text.hasSuffix("and the budget has 2 seconds left"), "\(text)")
        let unlimited = try #require(stop(Self.noise, secondsLeft: nil))
        #expect(unlimited.contains("stopped: this machine is too noisy"))
        #expect(!unlimited.contains("budget"))
        // More rounds are not likely to decide it, so going on is not proposed.
        #expect(report(Self.noise, secondsLeft: 2).command == nil)
    }

    @Test func `the maximum of rounds`() throws {
        let rounds = (0..<300).map { Double($0 * 37 % 101 - 50) / 25 }
        let text = try #require(stop(rounds, secondsLeft: 1_000))
        #expect(
            text.wholeMatch(of: /import\.time stopped: the maximum of \d+ rounds/) != nil, "\(text)"
        )
    }

    @Test func `a budget that was spent before the first round`() throws {
        let text = try #require(stop([], secondsLeft: 0))
        #expect(text == "import.time stopped: the budget was spent before its first round")
    }

    @Test(arguments: [nil, 100]) func `a metric that few rounds have`(secondsLeft: Double?) throws {
        let text = try #require(
            stop(Self.spread, secondsLeft: secondsLeft) { workload in
                for cell in workload.cells.indices {
                    for place in 2..<5 {
                        workload.cells[cell].samples[place].metrics[Metric.time.name] = nil
                    }
                }
            })
        #expect(
            text == "import.time stopped: too few of its rounds have a value of both cells")
    }

    @Test func `a cell that failed`() throws {
        let text = try #require(
            stop(Self.spread, secondsLeft: 100) { $0.cells[1].failure = "signal 11" })
        #expect(text == "import.time stopped: shared/size=50 failed")
    }

    @Test func `a decided question has no such line`() {
        let rounds = (0..<40).map { 0.5 + Double($0 % 5) / 100 }
        #expect(stop(rounds, secondsLeft: 100) == nil)
        #expect(report(rounds, secondsLeft: 100).command == nil)
    }
}
