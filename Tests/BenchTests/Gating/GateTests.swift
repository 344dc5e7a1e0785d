import Foundation
import RunRecords
import TestSupport
import Testing

@Suite(.serialized) struct `bench gate` {
    private let folder = TemporaryFolder()

    private static let workload = """
        schema: 1
        name: small
        kind: engine
        subjects: [object-graph]
        repetitions: 1
        parameters: { row: update, rows: 50 }
        """

    private func gate(
        _ options: [String], output: String = "gate-\(UUID().uuidString)",
        environment: [String: String] = [:]
    ) throws -> BenchProcess {
        try Data(Self.workload.utf8).write(to: folder.url("small.yml"))
        return try BenchProcess(
            [
                "gate", folder.path("small.yml"), "--allow-debug", "--output", folder.path(output),
                "--baselines", folder.path("baselines"),
            ] + options, environment: environment)
    }

    private var itself: [String] { ["--base-bin", BenchProcess.executable.path] }

    @Test func `the counts of a program are those of itself`() throws {
        let bench = try gate(itself + ["--quick"])

        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("0 regressed"))
        #expect(bench.output.contains("0 inconclusive"))
    }

    @Test func `times are paired, and two pairs cannot be judged: exit 12 under --strict`() throws {
        let bench = try gate(
            itself + ["--pairs", "2", "--budget", "1s", "--strict", "--seed", "1"])

        #expect(bench.exitCode == 12, "\(bench.errors)")
        #expect(bench.output.contains("?  inconclusive  small object-graph/pooled  time"))
    }

    /// Scripts replace the tools, because valgrind takes minutes for a debug build.
    @Test func `instructions are counted when they are asked for`() throws {
        try folder.write(
            """
            #!/bin/sh
            # strip --strip-debug -o COPY PROGRAM
            ln -s "$4" "$3"
            """, to: "tools/strip", isExecutable: true)
        try folder.write(
            """
            #!/bin/sh
            for argument; do
                case $argument in
                    --cachegrind-out-file=*) echo 'summary: 1000' > "${argument#*=}" ;;
                    --*) ;;
                    *) break ;;
                esac
                shift
            done
            exec "$@"
            """, to: "tools/valgrind", isExecutable: true)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""

        let bench = try gate(
            itself + ["--quick", "--instructions"], output: "counted",
            environment: ["PATH": "\(folder.path("tools")):\(path)"])

        #expect(bench.exitCode == 0, "\(bench.errors)")
        let rows = try RunDirectory(url: folder.url("counted")).loadComparison().rows
        #expect(rows.first { $0.metric == .instructions }?.verdict == .ok)
    }

    @Test func `instructions need valgrind: exit 69`() throws {
        let bench = try gate(
            itself + ["--instructions"], environment: ["PATH": folder.url.path])

        #expect(bench.exitCode == 69)
        #expect(bench.errors.contains("needs valgrind"))
    }

    @Test func `a gate that goes on takes no other options, and names them`() throws {
        let bench = try BenchProcess([
            "gate", "--resume", folder.path("gate"), "--strict", "--detect", "3", "other.yml",
        ])

        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("leave out --strict --detect other.yml"), "\(bench.errors)")
    }

    @Test func `a count that rose is named, and exits 10`() throws {
        #expect(try baseline("save", "kept").exitCode == 0)
        #expect(try gate(["--baseline", "kept"]).exitCode == 0)
        let baselines = BaselineFolder(url: folder.url("baselines"))
        var kept = try baselines.load("kept")
        kept.cells[0].counts["statements"]! -= 1
        try baselines.save(kept)

        let bench = try gate(["--baseline", "kept"])

        #expect(bench.exitCode == 10, "\(bench.errors)")
        #expect(bench.output.contains("✗  regressed  small object-graph/pooled  statements"))
        #expect(bench.output.contains("1 regressed"))
    }

    @Test func `a baseline made under other conditions is none: exit 15`() throws {
        #expect(try baseline("save", "kept").exitCode == 0)
        let baselines = BaselineFolder(url: folder.url("baselines"))
        var kept = try baselines.load("kept")
        kept.conditions.sqliteVersion = "2.8.17"
        try baselines.save(kept)

        let bench = try gate(["--baseline", "kept"])

        #expect(bench.exitCode == 15)
        #expect(bench.errors.contains("SQLite was 2.8.17"))
    }

    @Test func `the baseline of our own CI has the cells that are counted there`() throws {
        let baselines = BaselineFolder(url: URL(fileURLWithPath: "Benchmarks/Baselines"))
        let bench = try BenchProcess([
            "plan", "Benchmarks/Workloads/counts.yml", "--results", folder.url.path,
        ])

        let counted = bench.output.split(separator: "\n").filter { $0.hasPrefix("counts-") }.map {
            $0.split(separator: " ").prefix(2).joined(separator: " ")
        }
        let kept = try baselines.load("ci").cells.map { "\($0.workload) \($0.cell)" }
        #expect(kept == counted.sorted(), "scripts/gate --keep ci")
    }

    @Test(arguments: [
        (options: ["--base-ref", "no-such-revision"], reason: "is not a revision"),
        (options: ["--base-bin", "/bin/true"], reason: "is not a build of bench"),
        (options: ["--base-bin", "/no/such/file"], reason: "cannot be started"),
        (options: ["--baseline", "none"], reason: "there is no baseline \"none\""),
    ])
    func `without a base to compare with it exits 15`(options: [String], reason: String) throws {
        let bench = try gate(options)

        #expect(bench.exitCode == 15)
        #expect(bench.errors.contains(reason), "\(bench.errors)")
    }

    @Test func `one base has to be named`() throws {
        let none = try gate([])
        #expect(none.exitCode == 64)
        #expect(try gate(itself + ["--base-ref", "HEAD"]).exitCode == 64)
    }

    @Test func `a head that crashes exits 14 and is named`() throws {
        // It lists like bench, but as a worker it ends at once.
        let script = """
            #!/bin/sh
            [ "$1" = list ] && exec \(BenchProcess.executable.path) "$@"
            exit 3
            """
        try folder.write(script, to: "broken", isExecutable: true)

        let bench = try gate(["--base-bin", folder.path("broken"), "--quick"])

        #expect(bench.exitCode == 14)
        #expect(bench.output.contains("small object-graph/pooled: failed: the base: "))
    }

    @Test func `a base that was built otherwise is none: exit 15`() throws {
        let script = """
            #!/bin/sh
            \(BenchProcess.executable.path) "$@" \\
                | sed -E '/"build"/{s/release|testing/other/;s/debug/release/;s/other/debug/}'
            """
        try folder.write(script, to: "other", isExecutable: true)

        let bench = try gate(["--base-bin", folder.path("other"), "--quick"])

        #expect(bench.exitCode == 15)
        #expect(bench.errors.contains("build both alike"), "\(bench.errors)")
    }

    @Test func `baselines are listed, shown, updated and deleted`() throws {
        #expect(try baseline("save", "kept").exitCode == 0)
        #expect(try listed().contains("kept  1 cells"))
        let shown = try BenchProcess(["baseline", "show", "kept", "--baselines", path])
        #expect(shown.output.contains("small object-graph/pooled  statements"))
        #expect(try baseline("update", "kept").exitCode == 0)
        let deleted = try BenchProcess(["baseline", "delete", "kept", "--baselines", path])
        #expect(deleted.exitCode == 0)
        #expect(try listed() == "\n")
        #expect(try baseline("update", "kept").exitCode == 15)
        #expect(try baseline("save", "../kept").exitCode == 64)
    }

    private var path: String { folder.path("baselines") }

    private func listed() throws -> String {
        try BenchProcess(["baseline", "list", "--baselines", path]).output
    }

    private func baseline(_ verb: String, _ name: String) throws -> BenchProcess {
        try Data(Self.workload.utf8).write(to: folder.url("small.yml"))
        return try BenchProcess([
            "baseline", verb, name, "--baselines", path, "--file", folder.path("small.yml"),
            "--allow-debug",
        ])
    }
}
