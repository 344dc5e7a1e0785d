import Foundation
import Measuring
import RunRecords
import TestSupport
import Testing

@Suite(.serialized) struct `bench run --resume` {
    private static let repetitions = 30
    private let folder = TemporaryFolder()
    private var results: RunDirectory { RunDirectory(url: folder.url.appending(path: "run")) }

    private func begin(repetitions: Int = repetitions, options: [String] = []) throws
        -> BenchProcess
    {
        let text = """
            schema: 1
            name: questions
            kind: predicates
            subjects: [sqlite-c]
            repetitions: \(repetitions)
            dataset: { flights: 200 }
            parameters: { question: [equal, like] }
            """
        try Data(text.utf8).write(to: folder.url("workload.yml"))
        return try BenchProcess(
            [
                "run", folder.path("workload.yml"), "--allow-debug", "--seed", "5", "--output",
                results.url.path,
            ] + options)
    }

    private func resume(_ options: String...) throws -> BenchProcess {
        try BenchProcess(["run", "--resume", results.url.path, "--allow-debug"] + options)
    }

    /// Needs real sleep: it kills the run at any moment, whatever it is doing.
    @Test func `a run killed at 20 random moments ends with every sample once`() throws {
        var random = TestSupport.SeededGenerator.fromEnvironment()
        var bench = try begin()
        // Before the first line there is nothing to resume.
        while bench.isRunning, (try? results.journal.entries().isEmpty) != false { usleep(1_000) }
        for _ in 0..<20 {
            usleep(UInt32.random(in: 0..<600_000, using: &random))
            kill(bench.processIdentifier, SIGKILL)
            _ = bench.exitCode
            bench = try resume()
        }
        #expect(bench.exitCode == 0, "\(bench.errors)")

        let run = try results.load()
        #expect(run.state == .completed)
        for cell in run.workloads[0].cells {
            #expect(cell.samples.map(\.repetition) == Array(0..<Self.repetitions))
            #expect(cell.counts != nil)
            #expect(cell.failure == nil)
        }
        for number in 0..<Self.repetitions {
            let positions = run.workloads[0].cells.map { $0.samples[number].positionInRound }
            #expect(positions.sorted() == [0, 1])
        }
        #expect(FileManager.default.fileExists(atPath: results.runURL.path))
        #expect(FileManager.default.fileExists(atPath: results.reportURL.path))
        #expect(!FileManager.default.fileExists(atPath: results.url.path + "/work"))
    }

    @Test func `a run that is complete stays as it is`() throws {
        #expect(try begin(repetitions: 1).exitCode == 0)
        let before = try results.load()
        #expect(try resume().exitCode == 0)
        #expect(try results.load().workloads == before.workloads)
    }

    @Test func `a complete run goes on with more rounds or a new budget, and keeps its samples`()
        throws
    {
        let text = """
            schema: 1
            name: inserting
            kind: batch-insert
            subjects: [sqlite-c]
            repetitions: 2
            dataset: { flights: 100 }
            parameters: { mode: [loop, request], saveSize: 1, rows: 300 }
            questions:
              - id: time
                question: Is one transaction faster than one for each row?
                compare: mode
                against: loop
                metric: time
                sameWithin: 10%
            """
        try Data(text.utf8).write(to: folder.url("workload.yml"))
        let bench = try BenchProcess([
            "run", folder.path("workload.yml"), "--allow-debug", "--output", results.url.path,
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(
            bench.output.contains(/1 question is open, and \d+ rounds are likely to be enough\n/),
            "\(bench.output)")
        #expect(
            bench.output.contains(
                "To go on with the same samples:\n"
                    + "  bench run --resume \(results.url.path) --rounds "), "\(bench.output)")
        var samples = try results.load().workloads[0].cells.map(\.samples)
        #expect(samples.map(\.count) == [2, 2])

        let fewer = try resume("--rounds", "2")
        #expect(fewer.exitCode == 64)
        #expect(fewer.errors.contains("has 2 rounds, which --rounds counts too"), "\(fewer.errors)")
        for (options, count) in [(["--rounds", "4"], 4...4), (["--budget", "60s"], 5...300)] {
            let more = try BenchProcess(
                ["run", "--resume", results.url.path, "--allow-debug"] + options)
            #expect(more.exitCode == 0, "\(more.errors)")
            let next = try results.load().workloads[0].cells.map(\.samples)
            for (before, after) in zip(samples, next) {
                #expect(count.contains(after.count), "\(options)")
                #expect(Array(after.prefix(before.count)) == before)
                #expect(after.map(\.repetition) == Array(0..<after.count))
            }
            samples = next
        }
        #expect(try results.load().questionResults.map(\.isDecided) == [true])
    }

    @Test func `a run with a budget takes another budget, not a number of rounds`() throws {
        #expect(try begin(options: ["--budget", "2s"]).exitCode == 0)
        let bench = try resume("--rounds", "1000")
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("give it a new --budget instead of --rounds"))
    }

    @Test func `a killed run can be reported`() throws {
        let bench = try begin()
        while bench.isRunning,
            (try? results.load().workloads.first?.cells[0].samples.isEmpty) != false
        {
            usleep(1_000)
        }
        kill(bench.processIdentifier, SIGKILL)
        _ = bench.exitCode
        #expect(try BenchProcess(["report", results.url.path]).exitCode == 0)
        #expect(FileManager.default.fileExists(atPath: results.runURL.path))
        #expect(FileManager.default.fileExists(atPath: results.reportURL.path))
    }

    @Test func `other workloads than those of the run are refused`() throws {
        #expect(try begin(repetitions: 1).exitCode == 0)
        let text = try String(contentsOf: folder.url("workload.yml"), encoding: .utf8)
        try Data(text.replacing("[equal, like]", with: "[equal]").utf8)
            .write(to: folder.url("workload.yml"))
        let bench = try resume()
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("start a new run"))
    }

    @Test(arguments: [
        ["--seed", "6"], ["--quick"], ["--stack", "grdb"], ["--no-counts"], ["--full"],
        ["--workload", "questions"], ["--timeout", "60"],
    ])
    func `what a run was begun with cannot be changed`(options: [String]) throws {
        let bench = try BenchProcess(
            ["run", "--resume", results.url.path, "--allow-debug"] + options)
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("uses the options of the resumed run"))
    }

    @Test(arguments: [true, false])
    func `another build is refused, be it of the same commit`(ofSameCommit: Bool) throws {
        #expect(try begin(repetitions: 1).exitCode == 0)
        let journal = results.url.appending(path: "journal.jsonl")
        let text = try String(contentsOf: journal, encoding: .utf8)
        let run = try results.load()
        let other =
            ofSameCommit
            ? text.replacing(run.startedAt.ISO8601Format(), with: "2001-01-01T00:00:00Z")
            : text.replacing(try #require(run.commit), with: "0000000")
        try Data(other.utf8).write(to: journal)
        let bench = try resume()
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("another build"))
    }

    @Test func `a folder without a journal is refused`() throws {
        let bench = try resume()
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("there is no"))
    }
}
