import Benchmarking
import Foundation
import TestSupport
import Testing

@Suite struct `bench check` {
    private let folder = TemporaryFolder()

    private func check(_ rule: String, _ change: (inout CellResult) -> Void = { _ in }) throws
        -> BenchProcess
    {
        var cell = CellResult(
            subject: "nested", role: .stack, lockPolicy: "pooled",
            samples: (0..<3).map {
                Sample(
                    repetition: $0, positionInRound: 0, startedAtSeconds: 0,
                    metrics: ["time": 2], counters: ["statements": 7])
            },
            verification: .verified(facts: ["rows": 1]))
        change(&cell)
        let environment = EnvironmentFingerprint.current(
            swiftVersion: "", sqliteVersion: "", sqliteCompileOptions: [], allocator: "")
        let run = Run(
            name: "made", startedAt: Date(timeIntervalSince1970: 0), seed: 1, commandLine: [],
            build: .release, environment: environment,
            workloads: [
                WorkloadResult(name: "import", title: "Import", kind: "import", cells: [cell])
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
        #expect(bench.output.contains("✓ import nested/pooled: median statements 7"))
    }

    @Test func `an impossible threshold exits 11 and is named`() throws {
        let bench = try check("{ metric: time, atMost: 0.001, reason: as promised }")
        #expect(bench.exitCode == 11)
        #expect(bench.output.contains("✗ import nested/pooled: median time 2"))
        #expect(bench.output.contains("as promised"))
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

    @Test func `a wrong answer exits 13 whatever the rules say`() throws {
        let bench = try check("{ metric: statements, exactly: 7 }") {
            $0.verification = .failed(reason: "a row is missing")
        }
        #expect(bench.exitCode == 13)
        #expect(bench.output.contains("a row is missing"))
    }

    @Test func `a crash exits 14 whatever the rules say`() throws {
        let bench = try check("{ metric: statements, exactly: 7 }") { $0.failure = "signal 11" }
        #expect(bench.exitCode == 14)
    }
}
