import Foundation
import RunRecords
import TestSupport
import Testing

@Suite struct `The summary of a step on GitHub` {
    private let folder = TemporaryFolder()

    private func bench(_ arguments: [String], summary: String) throws -> BenchProcess {
        try BenchProcess(arguments, environment: ["GITHUB_STEP_SUMMARY": summary])
    }

    private func check(summary: String) throws -> BenchProcess {
        let run = RunDirectory(url: folder.url)
        try run.write(
            SampleRun.run([
                SampleRun.workload([SampleRun.cell("nested", Array(repeating: 1, count: 9))])
            ]))
        try folder.write("schema: 1\nrules: [{ metric: time, atMost: 0.5 }]", to: "rules.yml")
        return try bench(
            ["check", folder.url.path, "--thresholds", folder.path("rules.yml")], summary: summary)
    }

    private func workload() throws -> String {
        try folder.write(
            """
            schema: 1
            name: small
            kind: engine
            subjects: [object-graph]
            repetitions: 1
            parameters: { row: update, rows: 50 }
            """, to: "small.yml")
        return folder.path("small.yml")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOf: folder.url(name), encoding: .utf8)
    }

    @Test func `check adds its rules to what is there`() throws {
        try folder.write("## Before", to: "summary.md")

        #expect(try check(summary: folder.path("summary.md")).exitCode == 11)

        let summary = try text("summary.md")
        #expect(summary.hasPrefix("## Before\n\n### bench check "))
        #expect(summary.contains("\n- ✗ import nested: median time"))
    }

    @Test func `run adds its answers`() throws {
        let bench = try bench(
            [
                "run", workload(), "--allow-debug", "--no-counts", "--output",
                folder.path("run"),
            ], summary: folder.path("summary.md"))

        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(
            try text("summary.md").hasPrefix("\n### bench run run\n\n**This run asks no question"))
    }

    @Test func `gate adds what changed`() throws {
        let bench = try bench(
            [
                "gate", workload(), "--base-bin", BenchProcess.executable.path, "--quick",
                "--allow-debug", "--output", folder.path("gate"),
            ], summary: folder.path("summary.md"))

        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(try text("summary.md").hasPrefix("\n### bench gate "))
    }

    @Test func `a summary that cannot be written is a warning`() throws {
        let bench = try check(summary: folder.path("missing/summary.md"))

        #expect(bench.exitCode == 11)
        #expect(bench.errors.contains("warning: cannot add to the step's summary"))
    }
}
