import Foundation
import Reports
import RunRecords
import TestSupport
import Testing

@Suite struct `bench plan` {
    private let folder = TemporaryFolder()
    private let text = """
        schema: 1
        name: questions
        kind: predicates
        subjects: [sqlite-c, grdb]
        repetitions: 3
        dataset: { flights: 200 }
        reference: sqlite-c
        """

    private func plan(_ options: [String], of text: String? = nil) throws -> BenchProcess {
        try Data((text ?? self.text).utf8).write(to: folder.url("workload.yml"))
        return try BenchProcess(
            ["plan", folder.path("workload.yml"), "--results", folder.url.path] + options)
    }

    @Test func `every cell is named with its processes, and nothing is run`() throws {
        let bench = try plan([])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("2 cells, 8 processes, time unknown"))
        #expect(bench.output.contains("questions  sqlite-c  4"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 1)
    }

    @Test func `a stack is measured where its kind lists it, not where it was left out`() throws {
        let bench = try BenchProcess([
            "plan", "Benchmarks/Workloads/load.yml", "--stack", "nested", "--results",
            folder.url.path,
        ])
        #expect(bench.output.contains("load-lost-updates  nested"), "\(bench.errors)")
        #expect(!bench.output.contains("load-contention"))
    }

    @Test func `a variant that no workload of the kind lists is measured in all`() throws {
        let bench = try BenchProcess([
            "plan", "Benchmarks/Workloads/load.yml", "--stack", "shared-no-merge", "--results",
            folder.url.path,
        ])
        #expect(bench.output.contains("load-contention    shared-no-merge"), "\(bench.errors)")
    }

    @Test func `no stack takes the place of a self-test`() throws {
        let bench = try BenchProcess([
            "plan", "Benchmarks/Workloads/harness.yml", "--stack", "shared", "--results",
            folder.url.path,
        ])
        #expect(bench.exitCode == 64)
    }

    @Test func `three samples can show nothing, twenty what the design reaches`() throws {
        #expect(try plan([]).output.contains("nothing: too few samples"))
        #expect(try plan(["--rigorous"]).output.contains("~3.0 %"))
    }

    @Test func `a run with a budget is planned by its questions`() throws {
        let bench = try BenchProcess(["plan", "--results", folder.url.path])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("Times are first compared after 5 rounds"))
        #expect(bench.output.contains("main-queue"), "\(bench.output)")
        #expect(bench.output.contains("No earlier run of these cells"))
    }

    /// Runs the file, and keeps the run where `bench plan` looks for earlier ones.
    private func keepRun(
        _ options: [String] = [], of text: String? = nil,
        _ change: (inout Run) -> Void = { _ in }
    ) throws {
        try Data((text ?? self.text).utf8).write(to: folder.url("workload.yml"))
        let run = try BenchProcess(
            [
                "run", folder.path("workload.yml"), "--allow-debug", "--output",
                folder.path("earlier"),
            ] + options)
        #expect(run.exitCode == 0, "\(run.errors)")
        // Only times of release builds count, and this may be another build.
        var earlier = try RunDirectory(url: folder.url("earlier")).load()
        earlier.build = .release
        change(&earlier)
        try FileManager.default.removeItem(at: folder.url("earlier"))
        let known = try RunDirectory.create("known", in: folder.url)
        try known.write(earlier)
    }

    @Test func `an earlier run tells how long a cell takes`() throws {
        try keepRun()
        let output = try plan([]).output
        #expect(output.contains("2 cells, 8 processes, about"))
        #expect(!output.contains("?"))
    }

    /// A run that counts all cells takes longer to its first sample than one that counts none.
    @Test(arguments: [true, false])
    func `the questions of a plan add up, and only runs that counted the same tell its start`(
        counts: Bool
    ) throws {
        let asking =
            """
            schema: 1
            name: reading
            kind: predicates
            subjects: [shared, single]
            dataset: { flights: 200 }
            parameters: { question: [equal, like] }
            questions:
              - { id: a, question: A?, compare: subject, where: { question: equal }, sameWithin: 10% }
              - { id: b, question: B?, compare: subject, where: { question: like }, sameWithin: 10% }

            """
            + (counts
                ? "  - { id: c, question: C?, compare: subject, metric: statements, sameWithin: 10% }"
                : "")
        try keepRun(["--rounds", "1", "--counts"], of: asking) { run in
            for cell in run.workloads[0].cells.indices {
                let sample = run.workloads[0].cells[cell].samples[0]
                let isKnown = run.workloads[0].cells[cell].parameters["question"] == "equal"
                let isSlow = run.workloads[0].cells[cell].subject == "single"
                run.workloads[0].cells[cell].samples = (0..<(isKnown ? 5 : 1)).map { round in
                    var next = sample
                    next.repetition = round
                    next.startedAtSeconds += Double(round)
                    next.metrics["time"] = isSlow ? 9 : 1
                    return next
                }
            }
        }

        let output = try plan(["--budget", "10m"], of: asking).output
            .replacing(/\s+/, with: " ")

        #expect(
            output.contains("about \(counts ? "2 of 3" : "1 of 2") questions will be decided"),
            "\(output)")
        #expect(output.contains("Earlier runs do not show when 1 will be."), "\(output)")
        #expect(output.contains("The first sample comes after") == counts)
        #expect(output.contains("--results names another folder") == !counts)
    }

    @Test(arguments: [1, 4, 5])
    func `only a run with a first look tells how many rounds a question needs`(rounds: Int) throws {
        let asking = """
            schema: 1
            name: reading
            kind: predicates
            subjects: [shared, single]
            dataset: { flights: 200 }
            questions:
              - { id: fastest, question: Which is fastest?, compare: subject, sameWithin: 10% }
            """
        try keepRun(["--rounds", "1", "--no-counts"], of: asking) { run in
            for cell in run.workloads[0].cells.indices {
                let sample = run.workloads[0].cells[cell].samples[0]
                run.workloads[0].cells[cell].samples = (0..<rounds).map { round in
                    var next = sample
                    next.repetition = round
                    next.startedAtSeconds += Double(round)
                    next.metrics["time"] = 1 + Double(round * (cell + 1) % 3) / 20
                    return next
                }
            }
        }

        let output = try plan(["--budget", "10m"], of: asking).output
        #expect(output.contains("The first sample comes after"), "\(output)")
        #expect(output.contains("will be decided") == (rounds >= 5), "\(output)")
        #expect(output.contains("is not known") == (rounds < 5), "\(output)")
    }
}

@Suite struct `bench doctor` {
    @Test func `everything that decides what numbers are worth is looked at`() throws {
        let bench = try BenchProcess(["doctor"])
        for subject in [
            "build", "cores", "governor", "load", "disk", "SQLite", "allocator", "valgrind",
            "data set",
        ] {
            #expect(bench.output.contains(" \(subject) "), "\(subject)")
        }
    }

    @Test func `a folder that cannot be written is a probe that does not work`() throws {
        let bench = try BenchProcess(
            ["doctor"], currentDirectory: URL(fileURLWithPath: "/proc/self"))
        #expect(bench.exitCode == 69)
        #expect(bench.output.contains("start bench where results may be written"))
    }
}
