import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@Suite struct `The first screen` {
    @Test func `is the same in the terminal as in its golden file`() throws {
        try Golden.expect(FirstScreen(SampleRun.full).terminalText() + "\n", "run/terminal.txt")
    }

    @Test func `a run that asks nothing has figures and no verdicts`() {
        let text = screen([
            SampleRun.workload([SampleRun.cell("nested", [1]), SampleRun.cell("single", [2])])
        ])

        #expect(
            text == """
                This run asks no question, so its figures have no verdicts.

                Import
                subject  time [interval]  verified
                nested   1.00 s           ✓
                single   2.00 s           ✓
                """)
    }

    @Test(arguments: [
        (metric: Metric.time, ratio: 0.5, expected: "b 2.00× faster [2.00, 2.00]"),
        (metric: .time, ratio: 2, expected: "b 2.00× slower [2.00, 2.00]"),
        (metric: .time, ratio: 1.01, expected: "b equivalent within 10 %"),
        (metric: .peakMemory, ratio: 0.5, expected: "b less peak memory (0.50× [0.50, 0.50])"),
        (metric: .rowsPerSecond, ratio: 2, expected: "b more rows/s (2.00× [2.00, 2.00])"),
    ])
    func `a verdict is one of four words with its ratio and interval`(
        metric: Metric, ratio: Double, expected: String
    ) {
        let text = screen([pair(metric, ratio: ratio, rounds: 40)])

        #expect(text.contains(expected.replacing("b ", with: "b against a: ")), "\(text)")
        #expect(text.contains("The comparison is decided."), "\(text)")
        #expect(text.contains("at most one such run in 20 has a false verdict."), "\(text)")
    }

    @Test(arguments: [
        (values: [100.0, 100], expected: "equivalent, exactly the same"),
        (values: [100, 104], expected: "equivalent within 10 % (exactly 1.04×)"),
        (values: [5_000, 3], expected: "1,667× fewer statements (3 instead of 5,000)"),
        (values: [0, 12], expected: "more statements (12 instead of 0)"),
    ])
    func `exact counts decide without rounds`(values: [Double], expected: String) {
        var workload = pair(.statements, ratio: 1, rounds: 1)
        for (index, value) in values.enumerated() {
            workload.cells[index].samples[0].metrics = [:]
            workload.cells[index].counts = Sample(
                repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                metrics: ["statements": value])
        }

        let text = screen([workload])

        #expect(text.contains("b against a: \(expected)."), "\(text)")
        #expect(!text.contains("interval"))
    }

    @Test func `what is undecided says what would decide it`() {
        var later = pair(.time, ratio: 1, rounds: 8)
        for place in later.cells[1].samples.indices {
            later.cells[1].samples[place].metrics["time"]? *= place.isMultiple(of: 2) ? 1.3 : 1
        }
        let text = screen([later])
        var wrong = pair(.time, ratio: 1.2, rounds: 40)
        wrong.cells[1].verification = .failed(reason: "a row is missing")

        #expect(
            text.contains(
                /b against a: undecided \(1\.\d\d× \[\d\.\d\d, \d\.\d\d\] so far, up to 10 % is equivalent; needs about \d+ more rounds of both cells/
            ), "\(text)")
        #expect(screen([wrong]).contains("undecided (b gave a wrong answer)"))
    }

    @Test func `what has too few rounds for a verdict is told once, with the rounds so far`() {
        let text = screen(
            [1, 2].map { number in
                var workload = pair(.time, ratio: 1.2, rounds: 2)
                workload.name += "\(number)"
                return workload
            })

        #expect(text.ranges(of: "b against a: undecided (1.20× so far).").count == 2, "\(text)")
        #expect(!text.contains("needs about"), "\(text)")
        #expect(
            text.contains(
                "2 comparisons have too few rounds for a verdict: measured values need 5 or more."),
            "\(text)")
    }

    @Test(arguments: [
        (nanoseconds: [0.4e6, 0.9e6], verdict: "equivalent, both under 1.00 ms", advice: "a or b"),
        (
            nanoseconds: [0.4e6, 20e6], verdict: "slower, 20.0× at least, since a is under 1.00 ms",
            advice: "a"
        ),
        (
            nanoseconds: [20e6, 0.4e6], verdict: "faster, 20.0× at least, since b is under 1.00 ms",
            advice: "b"
        ),
        (nanoseconds: [4e6, 20e6], verdict: "5.00× slower [5.00, 5.00]", advice: "a"),
    ])
    func `times that nobody would notice count as the least that somebody would`(
        nanoseconds: [Double], verdict: String, advice: String
    ) {
        let metric = Metric.named("mainQueue.p99")
        var workload = pair(metric, ratio: 1, rounds: 40)
        workload.questions?[0].sameBelow = 1e6
        workload.advice = [AdviceRule(if: "you import", questions: ["b"])]
        for (cell, value) in nanoseconds.enumerated() {
            for index in workload.cells[cell].samples.indices {
                workload.cells[cell].samples[index].metrics[metric.name] = value
            }
        }

        let text = screen([workload])

        #expect(text.contains("b against a: \(verdict)."), "\(text)")
        #expect(text.contains("If you import, take \(advice) ("), "\(text)")
    }

    /// The latencies of a saturated load show only how long the phase lasted.
    @Test func `who did not keep up with a load is not compared by its latencies`() {
        var workload = pair(Metric.named("read.intended.p99"), ratio: 0.5, rounds: 40)
        for index in workload.cells[1].samples.indices {
            workload.cells[1].samples[index].metrics[Metric.saturated.name] = 1
        }

        #expect(screen([workload]).contains("undecided (b did not keep up with the load)"))
    }

    @Test func `advice takes the best, breaks ties by the next question and avoids the worse`() {
        let text = FirstScreen(SampleRun.full).terminalText()

        #expect(text.contains("If you only import, take single (rows/s"))
        #expect(text.contains("; avoid nested ("))
        #expect(text.contains("Among the equivalent ones, shared has more peak memory"))
    }

    @Test func `advice decides nothing while one that may be the best is undecided`() {
        let text = FirstScreen(SampleRun.full).terminalText()

        #expect(
            text.contains(
                """
                If you import beside a live view, there is no decision between shared, pooled, \
                single, pooled and isolated-batch, pooled; out are nested, pooled (
                """), "\(text)")
        #expect(text.contains("), compared with shared, pooled."), "\(text)")
        #expect(text.contains("Undecided: isolated-batch, pooled ("))
    }

    /// Before, all but the worst counted as the best.
    @Test func `advice decides nothing of undecided cells beside a baseline either`() {
        var workload = pair(.time, ratio: 0.5, rounds: 40)
        var other = workload.cells[1]
        other.subject = "c"
        for index in other.samples.indices {
            other.samples[index].metrics["time"]! *= index.isMultiple(of: 2) ? 3 : 0.4
        }
        workload.cells.append(other)
        workload.questions![0].contests[0].cells.append("c")
        workload.questions![0].contests[0].values.append("c")
        workload.advice = [AdviceRule(if: "you import", questions: ["b"])]

        let text = screen([workload])

        #expect(text.contains("there is no decision between"), "\(text)")
        #expect(!text.contains("take "), "\(text)")
    }

    /// The baseline may itself be far from the best.
    @Test func `advice compares with the best, also if the question has a baseline`() {
        var workload = pair(.time, ratio: 0.5, rounds: 40)
        workload.cells.append(workload.cells[0])
        workload.cells[2].subject = "c"
        workload.questions![0].contests[0].cells.append("c")
        workload.questions![0].contests[0].values.append("c")
        workload.advice = [AdviceRule(if: "you import", questions: ["b"])]

        let text = screen([workload])

        #expect(text.contains("take b ("), "\(text)")
        #expect(
            text.contains(
                "avoid a (2.00× [2.00, 2.00]) and c (2.00× [2.00, 2.00]), compared with b."),
            "\(text)")
    }

    /// The best of the measured cells need not be the best of all.
    @Test func `advice waits until every sound cell has a value`() {
        var workload = pair(Metric.named("mainQueue.p99"), ratio: 0.2, rounds: 40)
        workload.advice = [AdviceRule(if: "you import", questions: ["b"])]
        let complete = screen([workload])
        for index in workload.cells[1].samples.indices {
            workload.cells[1].samples[index].metrics["mainQueue.p99"] = nil
        }
        let partial = screen([workload])

        #expect(!complete.contains("there is no decision"), "\(complete)")
        #expect(partial.contains("If you import, there is no decision"), "\(partial)")
    }

    private func screen(_ workloads: [WorkloadResult]) -> String {
        FirstScreen(SampleRun.run(workloads)).terminalText()
    }

    /// A technique with the values a and b; a is the baseline.
    private func pair(_ metric: Metric, ratio: Double, rounds: Int) -> WorkloadResult {
        let cells = [("a", 1_000.0), ("b", 1_000 * ratio)].map { name, value in
            var cell = SampleRun.cell(name, Array(repeating: 1, count: rounds))
            for index in cell.samples.indices { cell.samples[index].metrics[metric.name] = value }
            return cell
        }
        var workload = SampleRun.workload(cells)
        workload.questions = [
            Question(
                id: "b", sentence: "Does b pay?", axis: "subject", metric: metric, sameWithin: 0.1,
                contests: [
                    Contest(label: "", cells: ["a", "b"], values: ["a", "b"], baseline: "a")
                ])
        ]
        return workload
    }
}

@Suite struct `Tables of figures` {
    @Test func `figures.csv tells counts from medians, and what was not measured from both`() throws
    {
        var counted = SampleRun.cell("nested", [1, 2, 3])
        for index in counted.samples.indices {
            counted.samples[index].counters = ["statements": 652]
        }
        counted.counts = Sample(
            repetition: 0, positionInRound: 0, startedAtSeconds: 0, metrics: ["statements": 624])
        var absent = SampleRun.cell("single", [])
        absent.verification = .notApplicable

        let lines = try table("figures.csv", [counted, absent])

        #expect(lines.contains { $0.contains(",statements,count,neither,count,1,624,,,") })
        #expect(lines.contains { $0.contains(",time,seconds,lowerIsBetter,median,3,2,1,3,") })
        #expect(lines.contains { $0.contains("single,") && $0.hasSuffix("not measured") })
        #expect(try !table("samples.csv", [counted]).contains { $0.contains("652") })
    }

    @Test func `counts of contending threads are those of the rounds, as bench check judges them`()
        throws
    {
        let counts: [Int64] = [1_890, 1_700, 1_911, 1_750, 1_820, 1_880, 1_860]
        var cell = SampleRun.cell("shared", counts.map { _ in 1 })
        for (place, count) in counts.enumerated() {
            cell.samples[place].counters["statements"] = count
        }
        cell.counts = Sample(
            repetition: 0, positionInRound: 0, startedAtSeconds: 0, metrics: ["statements": 2_522])
        var workload = SampleRun.workload([cell])
        workload.isContended = true
        let rule = ThresholdRule(metric: "statements", bound: .atMost(2_000))

        let verdict = try ThresholdCheck.evaluate([rule], SampleRun.run([workload])).verdicts[0]
        let figures = try table("figures.csv", of: workload)

        #expect(verdict.outcome == .held(1_860))
        #expect(
            figures.contains { $0.contains(",statements,count,neither,median,7,1860,1700,1911,") },
            "\(figures)")
        #expect(try table("samples.csv", of: workload).count { $0.contains(",1911,") } == 1)
    }

    private func table(_ name: String, _ cells: [CellResult]) throws -> [Substring] {
        try table(name, of: SampleRun.workload(cells))
    }

    private func table(_ name: String, of workload: WorkloadResult) throws -> [Substring] {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        try directory.writeReports(of: SampleRun.run([workload]))
        let file = directory.url.appendingPathComponent(name)
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\r\n")
    }
}
