import Foundation
import RunRecords
import TestSupport
import Testing

@Suite(.serialized) struct `bench run` {
    private let folder = TemporaryFolder()
    private var results: RunDirectory { RunDirectory(url: folder.url.appending(path: "run")) }

    private func start(
        _ text: String, options: [String] = []
    ) throws -> BenchProcess {
        try Data(text.utf8).write(to: folder.url("workload.yml"))
        return try BenchProcess(
            [
                "run", folder.path("workload.yml"), "--allow-debug", "--output", results.url.path,
            ] + options)
    }

    private static func questions(
        _ names: String = "equal", repetitions: Int, indexes: String = "plain", flights: Int = 200
    ) -> String {
        """
        schema: 1
        name: questions
        kind: predicates
        subjects: [sqlite-c]
        repetitions: \(repetitions)
        dataset: { flights: \(flights) }
        parameters: { question: [\(names)], indexes: [\(indexes)] }
        """
    }

    /// Workers that live long enough to be found. Each takes a sample or counts. The kind prepares
    /// no store, because a failure of that would fail both cells.
    private static let slow = """
        schema: 1
        name: slow
        kind: batch-insert
        subjects: [sqlite-c]
        repetitions: 1
        dataset: { flights: 200 }
        parameters: { mode: [request, loop], rows: 2000 }
        """

    /// Polls while the program runs.
    private func waitFor<Value>(_ bench: BenchProcess, _ find: () -> Value?) throws -> Value {
        while bench.isRunning {
            if let value = find() { return value }
            usleep(1_000)
        }
        throw EndedTooEarly(errors: bench.errors)
    }

    private struct EndedTooEarly: Error {
        var errors: String
    }

    private func waitForSample(_ bench: BenchProcess) throws {
        try waitFor(bench) {
            try? results.load().workloads.first?.cells.first?.samples.first.map { _ in () }
        }
    }

    /// Sources: proc_pid_task(5), the file `children`, and proc_pid_cmdline(5). A child that is not
    /// a worker yet must not be stopped, because its parent waits for it.
    private func waitForWorker(_ bench: BenchProcess) throws -> pid_t {
        let id = bench.processIdentifier
        return try waitFor(bench) {
            let children = try? String(
                contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
            let child = children?.split(separator: " ").first.flatMap { pid_t($0) }
            let arguments = child.flatMap {
                try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)
            }
            return arguments?.contains("\0worker\0") == true ? child : nil
        }
    }

    @Test func `an answer of nothing proves nothing: exit 13`() throws {
        let bench = try start(Self.questions(repetitions: 1, flights: 1))
        #expect(bench.exitCode == 13, "\(bench.errors)")
        let cell = try #require(results.load().workloads.first?.cells.first)
        guard case .failed(let reason) = cell.verification else {
            Issue.record("\(cell.verification)")
            return
        }
        #expect(reason.contains("use more rows"))
    }

    @Test func `every cell is measured, verified and reported`() throws {
        let bench = try start(
            Self.questions("equal, matches-cd", repetitions: 2, indexes: "plain, none"))
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let run = try results.load()
        #expect(run.state == .completed)
        #expect(run.dataset != nil)
        let cells = try #require(run.workloads.first).cells
        #expect(cells.count == 4)
        for cell in cells {
            #expect(cell.samples.map(\.repetition) == [0, 1])
            #expect(cell.values(of: "time").allSatisfy { $0 > 0 })
            for sample in cell.samples {
                #expect(sample[.sampleSeconds] ?? 0 > sample[.time] ?? .infinity)
            }
            guard case .verified = cell.verification else {
                Issue.record("\(cell.identifier): \(cell.verification)")
                continue
            }
        }
        #expect(FileManager.default.fileExists(atPath: results.reportURL.path))
        #expect(!FileManager.default.fileExists(atPath: results.url.path + "/work"))
    }

    @Test func `a quick run takes one sample of each cell and counts its work`() throws {
        let bench = try start(Self.questions("equal, like", repetitions: 9), options: ["--quick"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        for cell in try results.load().workloads[0].cells {
            #expect(cell.samples.count == 1)
            #expect(cell.values(of: "statements") == [1])
            #expect(cell.values(of: "syncs") == [0])
            #expect(try #require(cell.values(of: "vmSteps").first) > 0)
        }
    }

    @Test func `a budget buys rounds of all cells, one at least`() throws {
        let bench = try start(
            Self.questions("equal, like", repetitions: 1), options: ["--budget", "1s"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let cells = try results.load().workloads[0].cells
        #expect(!cells[0].samples.isEmpty)
        #expect(cells.map(\.samples.count).allSatisfy { $0 == cells[0].samples.count })
    }

    @Test(arguments: [
        ["--budget", "soon"], ["--quick", "--rigorous"], ["--quick", "--repetitions", "3"],
        ["--repetitions", "0"], ["--resume", "run"],
    ])
    func `options that make no sense are refused`(options: [String]) throws {
        let bench = try start(Self.questions(repetitions: 1), options: options)
        #expect(bench.exitCode == 64)
        #expect(throws: RunDirectoryError.self) { try results.load() }
    }

    @Test func `the same seed gives the same order`() throws {
        let text = Self.questions("equal, like, matches, contains", repetitions: 3)
        var orders: [[[Int]]] = []
        for name in ["one", "two"] {
            let directory = RunDirectory(url: folder.url.appending(path: name))
            try Data(text.utf8).write(to: folder.url("workload.yml"))
            let bench = try BenchProcess([
                "run", folder.path("workload.yml"), "--allow-debug", "--seed", "7",
                "--output", directory.url.path,
            ])
            #expect(bench.exitCode == 0, "\(bench.errors)")
            orders.append(
                try directory.load().workloads[0].cells.map { $0.samples.map(\.positionInRound) })
        }
        #expect(orders[0] == orders[1])
        #expect(Set(orders[0]).count > 1)
    }

    @Test func `a run that is killed leaves what was done`() throws {
        let bench = try start(Self.questions(repetitions: 1_000))
        try waitForSample(bench)
        kill(bench.processIdentifier, SIGKILL)
        #expect(bench.exitCode == SIGKILL)
        let run = try results.load()
        #expect(run.state == .running)
        #expect(run.finishedAt == nil)
        #expect(!run.workloads[0].cells[0].samples.isEmpty)
    }

    @Test func `a run that is interrupted ends in order and exits 130`() throws {
        let bench = try start(Self.questions(repetitions: 1_000))
        try waitForSample(bench)
        kill(bench.processIdentifier, SIGINT)
        #expect(bench.exitCode == 130)
        #expect(try results.load().state == .interrupted)
        #expect(FileManager.default.fileExists(atPath: results.reportURL.path))
    }

    @Test func `a worker that crashes fails its cell only`() throws {
        let bench = try start(Self.slow)
        kill(try waitForWorker(bench), SIGSEGV)
        #expect(bench.exitCode == 14)
        let cells = try results.load().workloads[0].cells
        #expect(cells.compactMap(\.failure).count == 1)
        #expect(cells.compactMap(\.failure)[0].contains("signal \(SIGSEGV)"))
        #expect(bench.errors.contains("✗ slow sqlite-c/mode="), "\(bench.errors)")
        #expect(cells.filter { $0.failure == nil }[0].samples.count == 1)
    }

    @Test func `a worker that hangs is killed`() throws {
        let bench = try start(Self.slow, options: ["--timeout", "1"])
        kill(try waitForWorker(bench), SIGSTOP)
        #expect(bench.exitCode == 14)
        let failures = try results.load().workloads[0].cells.compactMap(\.failure)
        #expect(failures.contains { $0.contains("hung") })
    }

    @Test func `a folder that holds a run is not overwritten`() throws {
        let text = Self.questions(repetitions: 1)
        #expect(try start(text).exitCode == 0)
        let again = try start(text)
        #expect(again.exitCode == 64)
        #expect(again.errors.contains("already holds a run"))
    }
}
