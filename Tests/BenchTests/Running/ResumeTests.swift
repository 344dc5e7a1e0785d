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

    private func resume() throws -> BenchProcess {
        try BenchProcess(["run", "--resume", results.url.path, "--allow-debug"])
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
        ["--seed", "6"], ["--repetitions", "3"], ["--quick"], ["--stack", "grdb"], ["--no-counts"],
        ["--budget", "1m"], ["--workload", "questions"], ["--timeout", "60"],
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
