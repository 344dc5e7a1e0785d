import Foundation
import Reports
import RunRecords
import TestSupport
import Testing

@Suite struct `bench check` {
    private let folder = TemporaryFolder()

    /// - Parameter change: makes the run's cells from the one that it gets.
    private func check(
        _ rule: String, _ change: (CellResult) -> [CellResult] = { [$0] }
    ) throws -> BenchProcess {
        let cell = CellResult(
            subject: "nested", role: .stack, lockPolicy: "pooled",
            samples: (0..<7).map {
                Sample(
                    repetition: $0, positionInRound: 0, startedAtSeconds: 0,
                    metrics: ["time": 2], counters: ["statements": 7])
            },
            verification: .verified(facts: ["rows": 1]))
        let environment = EnvironmentFingerprint.current(
            swiftVersion: "", sqliteVersion: "", sqliteCompileOptions: [], allocator: "")
        let run = Run(
            name: "made", startedAt: Date(timeIntervalSince1970: 0), seed: 1, commandLine: [],
            build: .release, environment: environment,
            workloads: [
                WorkloadResult(name: "import", title: "Import", kind: "import", cells: change(cell))
            ])
        try RunDirectory(url: folder.url).write(run)
        try Data("schema: 1\nrules:\n  - \(rule)\n".utf8).write(to: folder.url("rules.yml"))
        return try BenchProcess([
            "check", folder.url.path, "--thresholds", folder.path("rules.yml"),
        ])
    }

    @Test func `rules that hold exit 0`() throws {
        let bench = try check("{ metric: statements, exactly: 7 }")
        #expect(bench.exitCode == 0)
        #expect(
            bench.output.contains(
                "✓ import nested/pooled: statements 7, limit = 7 in every sample"))
    }

    @Test func `an impossible threshold exits 11 and is named`() throws {
        let bench = try check("{ metric: time, atMost: 0.001, reason: as promised }")
        #expect(bench.exitCode == 11)
        #expect(bench.output.contains("✗ import nested/pooled: median time 2"))
        #expect(bench.output.contains("as promised"))
    }

    /// The cell in loop mode, and one in request mode that takes half as long.
    private static func modes(_ cell: CellResult) -> [CellResult] {
        ["loop", "request"].map { mode in
            var cell = cell
            cell.parameters = ["mode": mode]
            for index in cell.samples.indices where mode == "request" {
                cell.samples[index].metrics["time"] = 1
            }
            return cell
        }
    }

    @Test(arguments: [(0.6, Int32(0)), (0.1, 11)])
    func `a rule relative to a parameter's value is judged`(limit: Double, exitCode: Int32) throws {
        let bench = try check(
            "{ metric: time, atMost: \(limit), relativeTo: { mode: loop } }", Self.modes)
        #expect(bench.exitCode == exitCode, "\(bench.errors)")
        #expect(bench.output.contains("mode=request: median time 0.500× mode=loop"))
    }

    @Test(arguments: [
        (
            "relativeTo: { saveSize: 10 }", "3: rules.relativeTo.saveSize: ",
            "parameters with several values: mode"
        ),
        (
            "relativeTo: { mode: lop }", "3: rules.relativeTo.mode: ",
            "the values of mode are loop, request"
        ),
        ("relativeTo: { mod: loop }", "3: rules.relativeTo.mod: ", "did you mean \"mode\"?"),
        ("relativeTo: {}", "3: rules.relativeTo: ", "needs a subject or a parameter"),
        ("relativeTo: grdb", "3: rules.relativeTo: ", "the subjects are nested"),
    ])
    func `a reference that no cell can be exits 64, and file, line and key are named`(
        reference: String, place: String, remedy: String
    ) throws {
        let bench = try check("{ metric: time, atMost: 1, \(reference) }", Self.modes)
        #expect(bench.exitCode == 64)
        #expect(
            bench.errors.hasPrefix("bench: \(folder.path("rules.yml")):\(place)"), "\(bench.errors)"
        )
        #expect(bench.errors.contains(remedy), "\(bench.errors)")
    }

    @Test func `a workload that the run left out is told how to be measured`() throws {
        let bench = try check("{ workload: readers, metric: statements, atMost: 1 }")
        #expect(bench.exitCode == 64)
        #expect(
            bench.errors.contains(
                ":3: rules.workload: this run measured no workload \"readers\". It measured import. "
                    + "If it left readers out, run it with --workload readers or a longer --budget"),
            "\(bench.errors)")
    }

    @Test(arguments: ["80 %", "1.5×"]) func `a share needs relativeTo`(limit: String) throws {
        let bench = try check("{ metric: time, atMost: \(limit) }")
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains(":3: rules.atMost: "), "\(bench.errors)")
        #expect(bench.errors.contains("relativeTo is missing"), "\(bench.errors)")
    }

    @Test func `a metric that other workloads have is told with their kinds`() throws {
        let bench = try check("{ metric: mainQueue.p95, atMost: 10 ms }")
        #expect(bench.exitCode == 64)
        #expect(
            bench.errors.contains(
                ":3: rules.metric: the run has no workload with mainQueue.p95 that the rule matches; "
                    + "workloads of these kinds have it: store-import"), "\(bench.errors)")
    }

    @Test(arguments: [
        "{ workload: imports, metric: time, atMost: 1 }",
        "{ cell: shared*, metric: time, atMost: 1 }",
        "{ metric: tiem, atMost: 1 }",
        "{ metric: time, atMost: 1, relativeTo: grdb }",
    ])
    func `a rule that asks about nothing exits 64`(rule: String) throws {
        #expect(try check(rule).exitCode == 64)
    }

    @Test func `a glob that misses names the nearest cell, and the cells of its workload only`()
        throws
    {
        let bench = try check(
            "{ workload: import, cell: nestd/*=request, metric: time, atMost: 1 }", Self.modes)
        #expect(bench.exitCode == 64)
        #expect(
            bench.errors.contains(
                ":3: rules.cell: \"nestd/*=request\" matches no cell of import; did you mean "
                    + "\"nested/pooled/mode=request\"? The cells are nested/pooled/mode=loop, "
                    + "nested/pooled/mode=request"), "\(bench.errors)")
    }

    @Test func `a wrong answer exits 13 whatever the rules say`() throws {
        let bench = try check("{ metric: statements, exactly: 7 }") {
            var cell = $0
            cell.verification = .failed(reason: "a row is missing")
            return [cell]
        }
        #expect(bench.exitCode == 13)
        #expect(bench.output.contains("a row is missing"))
    }

    @Test func `a crash exits 14 whatever the rules say`() throws {
        let bench = try check("{ metric: statements, exactly: 7 }") {
            var cell = $0
            cell.failure = "signal 11"
            return [cell]
        }
        #expect(bench.exitCode == 14)
    }
}
