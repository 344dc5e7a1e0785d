import Foundation
import Reports
import RunRecords
import TestSupport
import Testing

@Suite(.serialized) struct `Rounds where they are needed` {
    private let folder = TemporaryFolder()

    private func run(_ text: String, _ options: [String]) throws -> Run {
        try Data(text.utf8).write(to: folder.url("workload.yml"))
        let results = RunDirectory(url: folder.url("run"))
        let bench = try BenchProcess(
            [
                "run", folder.path("workload.yml"), "--allow-debug", "--output", results.url.path,
            ] + options)
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let run = try results.load()
        // A run says of each undecided question why it stopped, and nothing of the others.
        for result in run.questionResults {
            #expect(
                bench.output.contains("\(result.identifier) stopped: ") == !result.isDecided,
                "\(bench.output)")
        }
        return run
    }

    private static let inserting = """
        schema: 1
        name: inserting
        kind: batch-insert
        subjects: [sqlite-c]
        dataset: { flights: 100 }
        parameters: { mode: [loop, request], saveSize: 1, rows: 300 }

        """

    @Test func `a question about counts is decided by counting`() throws {
        let run = try run(
            Self.inserting + """
                questions:
                  - id: time
                    question: Is one transaction faster than one for each row?
                    compare: mode
                    against: loop
                    metric: transactions
                    sameWithin: 10%
                """, ["--budget", "60s"])
        let result = try #require(run.questionResults.first)
        #expect(result.isDecided)
        guard case .less(let ratio) = result.contests[0].findings[0].verdict else {
            Issue.record("\(result.contests[0].findings)")
            return
        }
        #expect(ratio == Finding.Ratio(estimate: 1.0 / 300))
        // There is no other question, so one sample of each cell is enough to show its time.
        #expect(run.workloads[0].cells.map(\.samples.count) == [1, 1])
    }

    @Test func `undecided questions get rounds and decided ones no more`() throws {
        let run = try run(
            Self.inserting + """
                questions:
                  - id: time
                    question: Is one transaction faster than one for each row?
                    compare: mode
                    against: loop
                    metric: time
                    sameWithin: 10%
                """, ["--until-decided"])
        let result = try #require(run.questionResults.first)
        let design = run.sequentialDesign
        let rounds = run.workloads[0].cells.map(\.samples.count)
        #expect(result.isDecided)
        #expect(rounds[0] == rounds[1])
        #expect(rounds[0] >= design.quickLook)
        #expect(run.workloads[0].cells.allSatisfy { $0.counts == nil })
    }

    @Test func `a budget that ends before a decision is told`() throws {
        // The cells do the same work, and few rounds do not show that.
        let run = try run(
            Self.inserting.replacing(
                "[loop, request], saveSize: 1,", with: "loop, saveSize: [100, 101],")
                    + """
                    questions:
                      - id: time
                        question: Does one row more a transaction pay?
                        compare: saveSize
                        against: 100
                        metric: time
                        sameWithin: 2.6%
                    """, ["--budget", "1s"])
        #expect(run.questionResults.map(\.isDecided) == [false])
    }

    @Test func `a question gets its rounds if the first of its cells is not selected`() throws {
        let run = try run(
            Self.inserting.replacing("[sqlite-c]", with: "[main-only, nested, shared]")
                .replacing("[loop, request]", with: "loop") + """
                    questions:
                      - id: fastest
                        question: Which is fastest?
                        compare: subject
                        metric: time
                        sameWithin: 10%
                    """, ["--budget", "60s", "--stack", "nested", "--stack", "shared"])
        let counts = run.workloads[0].cells.map(\.samples.count)
        #expect(counts.count == 2)
        #expect(counts.allSatisfy { $0 >= run.sequentialDesign.quickLook }, "\(counts)")
    }

    @Test func `data are reduced until a sample of one subject lasts as long as it should`() throws
    {
        let importing = """
            schema: 1
            name: importing
            kind: import
            subjects: [sqlite-c, grdb]
            repetitions: 1
            dataset: { flights: 20000 }
            fit: { subject: grdb, seconds: 0.1 }

            """
        let run = try run(importing, [])
        let count = try #require(run.workloads[0].parameters["flights"].flatMap { Int($0) })
        #expect(count < 20_000 && count.isMultiple(of: 1_000))
        // A resumed run keeps what it has begun with.
        let bench = try BenchProcess([
            "run", "--resume", folder.path("run"), "--allow-debug",
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
    }

    @Test func `both sizes of a question are in one run`() throws {
        let run = try run(
            Self.inserting + """
                full: { parameters: { rows: 600 } }
                questions:
                  - id: transactions
                    question: Does one request need fewer transactions?
                    compare: mode
                    against: loop
                    metric: transactions
                    sameWithin: 10%
                """, ["--full", "--budget", "60s"])
        #expect(run.workloads.map(\.name) == ["inserting", "inserting-full"])
        #expect(run.sizeComparisons.map(\.holds) == [true])
    }
}
