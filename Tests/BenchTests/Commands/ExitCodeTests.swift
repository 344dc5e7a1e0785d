import Foundation
import RunRecords
import TestSupport
import Testing

/// One way to produce each code. The tests of the commands have the others.
@Suite struct `Exit codes (measuring §10)` {
    private let folder = TemporaryFolder()

    @Test(arguments: ExitCode.allCases)
    func `every code of the table is produced`(code: ExitCode) throws {
        let bench = try bench(endingWith: code)
        #expect(bench.exitCode == code.rawValue, "\(bench.errors)")
    }

    /// Exhaustive, so that a new code does not compile without a case here.
    private func bench(endingWith code: ExitCode) throws -> BenchProcess {
        switch code {
        case .success: return try check("{ metric: time, atMost: 10 }")
        case .regression:
            let baselines = BaselineFolder(url: folder.url("baselines"))
            let common = ["--baselines", baselines.url.path, "--allow-debug"]
            let saved = try BenchProcess(
                ["baseline", "save", "kept", "--file", workload()] + common)
            try #require(saved.exitCode == 0, "\(saved.errors)")
            var kept = try baselines.load("kept")
            kept.cells[0].counts["statements"]? -= 1
            try baselines.save(kept)
            return try BenchProcess(["gate", "--baseline", "kept", workload()] + common)
        case .thresholdCrossed: return try check("{ metric: time, atMost: 0.001 }")
        case .inconclusive: return try check("{ metric: time, statistic: p99, atMost: 1 }")
        case .wrongAnswer:
            return try check("{ metric: time, atMost: 10 }") {
                $0.verification = .failed(reason: "a row is missing")
            }
        case .crash:
            return try check("{ metric: time, atMost: 10 }") { $0.failure = "signal 11" }
        case .noBaseline: return try BenchProcess(["gate", "--baseline", "none"])
        case .difference:
            let store = folder.url("Library.sqlite")
            try makeLibraryStore(at: store)
            let model = try folder.writeModel(#"<entity name="Shelf"/>"#)
            return try BenchProcess(["schema", store.path, "--model", model.path])
        case .usage: return try BenchProcess(["run", folder.path("none.yml")])
        case .probeUnavailable:
            return try BenchProcess(
                ["doctor"], currentDirectory: URL(fileURLWithPath: "/proc/self"))
        case .internalError:
            return try BenchProcess([
                "selftest", "aa", workload(), "--allow-debug", "--rows", "1000", "--pairs", "2",
                "--budget", "1s",
            ])
        case .interrupted:
            let bench = try BenchProcess([
                "run", workload(), "--allow-debug", "--repetitions", "1000", "--output",
                folder.path("run"),
            ])
            let results = RunDirectory(url: folder.url("run"))
            while bench.isRunning,
                (try? results.load().workloads.first?.cells.first?.samples.isEmpty) != false
            {
                usleep(1_000)
            }
            kill(bench.processIdentifier, SIGINT)
            return bench
        }
    }

    private func saved(
        _ name: String, _ change: (inout CellResult) -> Void
    ) throws -> URL {
        var cell = SampleRun.cell("nested", [1, 1.01, 1.02, 1, 1.01, 1.02, 1])
        change(&cell)
        var run = SampleRun.run([SampleRun.workload([cell])])
        run.name = name
        try RunDirectory.create(name, in: folder.url).write(run)
        return folder.url(name)
    }

    private func check(
        _ rule: String, _ change: (inout CellResult) -> Void = { _ in }
    ) throws -> BenchProcess {
        try Data("schema: 1\nrules:\n  - \(rule)\n".utf8).write(to: folder.url("rules.yml"))
        return try BenchProcess([
            "check", saved("run", change).path, "--thresholds", folder.path("rules.yml"),
        ])
    }

    private func workload() throws -> String {
        let text = """
            schema: 1
            name: small
            kind: engine
            subjects: [object-graph]
            repetitions: 1
            parameters: { row: update, rows: 50 }
            """
        try Data(text.utf8).write(to: folder.url("small.yml"))
        return folder.path("small.yml")
    }
}
