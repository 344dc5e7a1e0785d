import Foundation
import RunRecords
import TestSupport
import Testing

/// What the command line selects of a file, by what `bench plan` shows of it.
@Suite struct `A selection of a workload file` {
    private let folder = TemporaryFolder()
    private let text = """
        schema: 1
        name: pages
        kind: paging
        subjects: [shared, single]
        repetitions: 3
        dataset: { flights: 200 }
        parameters: { fetchBatchSize: [0, 20], extent: [first-page, whole] }
        questions:
          - { id: batch, question: Does a batch size pay?, compare: fetchBatchSize, sameWithin: 10% }
          - { id: stack, question: Which stack is fastest?, compare: subject, sameWithin: 10% }
        """

    private func plan(_ options: String...) throws -> BenchProcess {
        try Data(text.utf8).write(to: folder.url("pages.yml"))
        return try BenchProcess(
            ["plan", folder.path("pages.yml"), "--results", folder.url.path] + options)
    }

    @Test(arguments: [
        ([], 8), (["--set", "fetchBatchSize=5"], 4), (["--set", "fetchBatchSize=5,10,15"], 12),
        (["--set", "flights=100"], 8), (["--only", "first-page"], 4),
        (["--only", "shared", "--only", "WHOLE"], 2), (["--question", "batch"], 8),
        (["--question", "pages.stack", "--only", "fetchbatchsize=20"], 4),
    ])
    func `options select these cells`(options: [String], cellCount: Int) throws {
        try Data(text.utf8).write(to: folder.url("pages.yml"))
        let bench = try BenchProcess(
            ["plan", folder.path("pages.yml"), "--results", folder.url.path] + options)
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("\n\(cellCount) cells, "), "\(bench.output)")
    }

    @Test func `a question keeps its own cells and rounds`() throws {
        let bench = try plan("--budget", "10m", "--question", "batch", "--only", "single")
        #expect(bench.output.contains("4 cells and 1 question,"), "\(bench.output)\(bench.errors)")
        // The other question is by stack.
        #expect(!bench.output.contains(/\bstack\b/))
    }

    @Test(arguments: [
        (["--set", "rows"], "The value 'rows' is invalid for '--set <name=value>'"),
        (["--set", "fetchBatchSiz=5"], "did you mean \"fetchBatchSize\"?"),
        (["--set", "fetchBatchSize=x"], "--set fetchBatchSize: must be a whole number"),
        (["--set", "extent=half"], "--set extent: unknown extent \"half\""),
        (["--set", "flights=0"], "--set flights: 0 is not from 1"),
        (["--set", "extent=whole", "--set", "extent=whole"], "is given twice"),
        (
            ["--question", "btach"],
            "did you mean \"batch\"? Allowed: pages.batch, pages.stack."
        ),
        (
            ["--only", "frist-page"],
            "no cell has that in its name; did you mean \"first-page\"? The cells are pages shared/"
        ),
        (["--only", "nobody"], "no cell has that in its name. The cells are pages shared/"),
    ])
    func `mistakes say what is allowed`(options: [String], message: String) throws {
        try Data(text.utf8).write(to: folder.url("pages.yml"))
        let bench = try BenchProcess(
            ["plan", folder.path("pages.yml"), "--results", folder.url.path] + options)
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains(message), "\(bench.errors)")
    }
}

@Suite struct `bench list` {
    @Test func `it begins with what there is, and names files that need a trait`() throws {
        let bench = try BenchProcess(["list"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let first = bench.output.split(separator: "\n").prefix(10).joined(separator: "\n")
        #expect(first.contains("workload files") && first.contains("bench list metric"), "\(first)")
        #expect(bench.output.contains("Benchmarks/Workloads/postgresql.yml"))
        #expect(bench.output.contains("server-save"))
    }

    @Test func `a word selects entries, the name of a kind its parameters and files`() throws {
        let kind = try BenchProcess(["list", "paging"])
        #expect(kind.output.contains("parameter  paging  fetchBatchSize"), "\(kind.output)")
        #expect(kind.output.contains("Benchmarks/Workloads/paging.yml"))
        #expect(!kind.output.contains("isolated-batch"))
        #expect(try BenchProcess(["list", "memory"]).output.contains("peakMemory"))
        let stacks = try BenchProcess(["list", "stack"]).output.split(separator: "\n")
        #expect(stacks.count > 5 && stacks.allSatisfy { $0.hasPrefix("stack ") }, "\(stacks)")
        #expect(try BenchProcess(["list", "peeer"]).errors.contains("nothing has \"peeer\""))
        let none = try BenchProcess(["list", "qqqqq"])
        #expect(none.exitCode == 64)
        #expect(none.errors.contains("nothing has \"qqqqq\""))
    }
}

@Suite struct `Limits of thresholds` {
    private let folder = TemporaryFolder()

    private func check(_ rule: String) throws -> BenchProcess {
        let results = RunDirectory(url: folder.url("run"))
        if !FileManager.default.fileExists(atPath: results.url.path) {
            let run = try BenchProcess([
                "run", "Benchmarks/Workloads/paging.yml", "--stack", "shared", "--quick",
                "--allow-debug", "--set", "flights=200", "--output", results.url.path,
            ])
            #expect(run.exitCode == 0, "\(run.errors)")
        }
        try folder.write("schema: 1\nrules:\n  - { \(rule) }", to: "rules.yml")
        return try BenchProcess([
            "check", results.url.path, "--thresholds", folder.path("rules.yml"),
        ])
    }

    @Test func `they take units, and mistakes are errors`() throws {
        let cases = [
            (
                rule: "metric: bytesWritten, statistic: max, atMost: 100 GB", code: 0,
                text: "≤ 93.1 GiB"
            ),
            ("metric: statements, atMost: 0", 11, "limit ≤ 0"),
            ("metric: peakMemory, statistic: max, atMost: 5 ms", 64, "alone or with one of B"),
            ("metric: statements, atMost: 5 ms", 64, "5 ms must be a plain number"),
            ("metric: time, atLeast: 0", 64, "so the rule always holds"),
            ("metric: statement, atMost: 5", 64, "did you mean \"statements\"?"),
            ("workload: pagin, metric: statements, atMost: 5", 64, "did you mean \"paging\"?"),
        ]
        for (rule, code, text) in cases {
            let bench = try check(rule)
            #expect(bench.exitCode == Int32(code), "\(rule): \(bench.output)\(bench.errors)")
            #expect((bench.output + bench.errors).contains(text), "\(bench.output)\(bench.errors)")
        }
        // What is crossed comes first.
        #expect(try check("metric: statements, atMost: 0").output.hasPrefix("✗ "))
    }
}
