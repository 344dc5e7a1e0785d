import Foundation
import Measuring
import RunRecords
import Testing

@testable import Reports

@Suite struct `Advice` {
    /// a looks best and is noisy, so nothing is known beside it. c is worse than b.
    private static let besideAnother = SampleRun.comparison(of: [
        ("a", SampleRun.rounds(400, 900, 3_000)), ("b", SampleRun.rounds(1_000)),
        ("c", SampleRun.rounds(1_500)),
    ])

    @Test func `names the cell that a ratio is to, and the section has the same ratio`() throws {
        let reports = try WrittenReports(of: Self.besideAnother)
        let (screen, section) = try reports.summary(dividedBefore: "## Import")

        #expect(screen.contains("out is c (1.50× [1.50, 1.50]), compared with b."), "\(screen)")
        #expect(section.contains(", c 1.50× slower [1.50, 1.50] against b"), "\(section)")
        #expect(reports.comparisons.contains { $0.contains(",which,b,40,1500,1000,1.5,") })
        #expect(
            screen.contains("1 of 2 comparisons is decided."), "c is not the best. \(screen)")
    }

    @Test func `nothing is marked as the best that nothing is known about`() throws {
        let run = SampleRun.run([Self.besideAnother])
        let contest = try #require(run.questionResults.first?.contests.first)

        #expect(
            contest.cells.map { contest.standing(of: $0.identifier) } == [
                .undecided, .undecided, .worse,
            ])
    }

    @Test(arguments: [
        (sameWithin: 0.08, expected: "avoid b (1.15× ["),
        (
            sameWithin: 0.15,
            expected: """
            Worse, but perhaps by less than the 15 % that nobody would act on: b (1.15× [
            """
        ),
    ])
    func `avoids only what is worse by more than nobody would act on`(
        sameWithin: Double, expected: String
    ) throws {
        let screen = FirstScreen(
            SampleRun.run([
                SampleRun.comparison(
                    of: [
                        ("a", SampleRun.rounds(1_000)),
                        ("b", SampleRun.rounds(1_050, 1_100, 1_150, 1_200, 1_250)),
                    ], sameWithin: sameWithin)
            ])
        ).terminalText()

        #expect(screen.contains("If you import, take a ("), "\(screen)")
        #expect(screen.contains(expected), "\(screen)")
        #expect(screen.contains("), compared with a."), "\(screen)")
        #expect(screen.contains("avoid") == expected.hasPrefix("avoid"), "\(screen)")
    }

    @Test func `comparisons.csv has the ratios of advice beside a baseline`() throws {
        let reports = try WrittenReports(
            of: SampleRun.comparison(
                of: [
                    ("a", SampleRun.rounds(1_000)), ("b", SampleRun.rounds(500)),
                    ("c", SampleRun.rounds(1_000)),
                ], baseline: "a"))

        #expect(try reports.summary(dividedBefore: "## Import").screen.contains("compared with b."))
        #expect(reports.comparisons.contains { $0.contains(",which,b,40,1000,500,2,") })
        #expect(reports.comparisons.count == 4, "a heading, b and c against a, c against b")
    }
}

@Suite struct `How sure a report is` {
    @Test func `each comparison is counted once, those by counts apart`() throws {
        var counted = SampleRun.comparison(
            of: [("a", [1]), ("b", [1])], by: .statements, baseline: "a")
        for (index, value) in [7.0, 3].enumerated() {
            counted.cells[index].counts = Sample(
                repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                metrics: ["statements": value])
        }
        counted.name = "counted"
        let measured = SampleRun.comparison(
            of: [
                ("a", SampleRun.rounds(1)), ("b", SampleRun.rounds(2)),
                ("c", SampleRun.rounds(0.4, 3)),
            ], baseline: "a")
        let screen = FirstScreen(SampleRun.run([counted, measured])).terminalText()

        #expect(
            screen.contains(
                """
                2 of 3 comparisons are decided: 1 of 1 by counts, which are exact, and 1 of 2 by \
                measured values.
                """), "\(screen)")
        #expect(
            screen.contains("one such run in 20 has a false verdict by measured values."),
            "\(screen)")
    }
}

@Suite struct `A listed question` {
    private static let labels = ["Message → sender", "Contact → name", "Attachment → message"]

    /// Prefetching saves statements everywhere, and time for one relationship.
    private static let prefetching = prefetching(seconds: [0.5, 2, 1])

    /// - Parameter seconds: with prefetching; without it they are 1.
    private static func prefetching(seconds times: [Double]) -> WorkloadResult {
        var workload = SampleRun.workload(
            labels.enumerated().flatMap { place, label in
                ["no", "yes"].map { value in
                    let seconds = value == "no" ? 1 : times[place]
                    var cell = SampleRun.cell(
                        "shared", SampleRun.rounds(seconds),
                        parameters: ["prefetching": value, "relationship": label])
                    cell.counts = Sample(
                        repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                        metrics: ["statements": value == "no" ? Double(10 * (place + 1)) : 2])
                    return cell
                }
            })
        let contests = labels.indices.map { place in
            let cells = workload.cells[(2 * place)...(2 * place + 1)].map(\.identifier)
            return Contest(
                label: labels[place], cells: cells, values: ["no", "yes"], baseline: cells[0])
        }
        workload.questions = [Metric.statements, .time].map { metric in
            var question = Question(
                id: metric.name, sentence: "Does prefetching pay?", axis: "prefetching",
                metric: metric, sameWithin: 0.1, contests: contests)
            question.isListed = true
            return question
        }
        return workload
    }

    @Test func `says what to act on if statements are saved and no time`() throws {
        let (screen, _) = try WrittenReports(of: Self.prefetching(seconds: [1, 2, 1])).summary(
            dividedBefore: "## Import")
        #expect(
            screen.contains(
                "It saves statements but no measurable time here, in a local file: act on it only "
                    + "where a statement costs more, such as on a slower disk."), "\(screen)")
        let (other, _) = try WrittenReports(of: Self.prefetching).summary(
            dividedBefore: "## Import")
        #expect(!other.contains("act on it only"), "\(other)")
    }

    @Test func `has one answer in words, and a sentence for each thing`() throws {
        let (screen, section) = try WrittenReports(of: Self.prefetching).summary(
            dividedBefore: "## Import")
        let answer = """
            **Does prefetching pay?** By statements, yes: fewer in all 3 cases (5.00× to 15.0×). By \
            time, sometimes: faster in 1 of 3 cases (Message → sender), equivalent in 1 of 3 cases \
            (Attachment → message), slower in 1 of 3 cases (Contact → name).
            """

        for text in [screen, section] {
            #expect(text.contains(answer), "\(text)")
            #expect(text.ranges(of: "Does prefetching pay?").count == 1, "\(text)")
            for label in Self.labels {
                #expect(text.contains("- **\(label)**: "), "\(text)")
            }
        }
    }
}

/// What the files of a run with one workload say.
private struct WrittenReports {
    private let text: String
    /// The lines of comparisons.csv.
    let comparisons: [Substring]

    init(of workload: WorkloadResult) throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        try directory.writeReports(of: SampleRun.run([workload]))
        func text(_ name: String) throws -> String {
            try String(contentsOf: directory.url.appendingPathComponent(name), encoding: .utf8)
        }
        self.text = try text("summary.md")
        comparisons = try text("comparisons.csv").split(separator: "\r\n")
    }

    /// `summary.md` before and after a heading.
    func summary(dividedBefore heading: String) throws -> (screen: String, section: String) {
        let place = try #require(text.range(of: heading))
        return (String(text[..<place.lowerBound]), String(text[place.lowerBound...]))
    }
}
