import Foundation
import Measuring
import RunRecords
import TestSupport
import Testing

@Suite(.serialized) struct `Pairs of bench gate` {
    private let folder = TemporaryFolder()
    private var results: RunDirectory { RunDirectory(url: folder.url("gate")) }

    private static let engine = """
        schema: 1
        name: small
        kind: engine
        subjects: [object-graph]
        repetitions: 1
        parameters: { row: [update, fetch-realise], rows: 50 }
        """

    private func gate(
        _ options: [String], on text: String = Self.engine
    ) throws -> BenchProcess {
        try Data(text.utf8).write(to: folder.url("small.yml"))
        return try BenchProcess(
            [
                "gate", folder.path("small.yml"), "--allow-debug", "--output", results.url.path,
                "--base-bin", BenchProcess.executable.path, "--budget", "1s", "--seed", "1",
            ] + options)
    }

    private func resume() throws -> BenchProcess {
        try BenchProcess(["gate", "--resume", results.url.path])
    }

    /// The two workers of a pair. The counting pass has one at a time.
    private func pairOfWorkers(of bench: BenchProcess) throws -> [pid_t] {
        let id = bench.processIdentifier
        while bench.isRunning {
            let text = try? String(
                contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
            let children = (text ?? "").split(separator: " ").compactMap { pid_t($0) }
            let areWorkers = children.allSatisfy {
                let arguments = try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8)
                return arguments?.contains("\0worker\0") == true
            }
            if children.count == 2, areWorkers { return children }
            usleep(1_000)
        }
        Issue.record("there was no pair: \(bench.errors)")
        return []
    }

    @Test func `a worker that crashes inside a pair fails its cell only`() throws {
        let bench = try gate(["--pairs", "8"])
        for worker in try pairOfWorkers(of: bench).prefix(1) { kill(worker, SIGSEGV) }

        #expect(bench.exitCode == 14, "\(bench.errors)")
        let report = try results.loadComparison()
        #expect(report.unsoundCells.count == 1)
        #expect(report.unsoundCells.first?.reason.contains("signal \(SIGSEGV)") == true)
        #expect(report.rows.filter { $0.metric == .time }.count == 1)
    }

    @Test func `a worker that hangs inside a pair is killed`() throws {
        let bench = try gate(["--pairs", "8", "--timeout", "2"])
        for worker in try pairOfWorkers(of: bench).prefix(1) { kill(worker, SIGSTOP) }

        #expect(bench.exitCode == 14, "\(bench.errors)")
        let cells = try results.loadComparison().unsoundCells
        #expect(cells.contains { $0.reason.contains("hung: killed after 2 s") })
    }

    @Test func `a gate that is killed goes on, and has every pair once`() throws {
        var random = TestSupport.SeededGenerator.fromEnvironment()
        var bench = try gate(["--pairs", "8"])
        // Before the first line there is nothing to resume.
        while bench.isRunning, !results.journal.exists { usleep(1_000) }
        for _ in 0..<5 {
            usleep(UInt32.random(in: 0..<800_000, using: &random))
            kill(bench.processIdentifier, SIGKILL)
            _ = bench.exitCode
            bench = try resume()
        }
        #expect(bench.exitCode == 0 || bench.exitCode == 10, "\(bench.errors)")

        let report = try results.loadComparison()
        let timed = report.rows.filter { $0.metric == .time }
        #expect(timed.count == 2)
        for row in timed {
            #expect(row.pairs.prefix(8).map(\.block) == Array(0..<8))
            #expect(Set(row.pairs.map(\.block)).count == row.pairs.count)
        }
        #expect(report.rows.contains { $0.metric == .statements })
        let count = timed.reduce(0) { $0 + $1.pairs.count + $1.confirmation.count }
        #expect(report.noise?.count == count)
    }

    @Test func `other workloads than those of the gate are refused`() throws {
        #expect(try gate(["--quick"]).exitCode == 0)
        let again = try gate(["--quick"])
        #expect(again.exitCode == 64)
        #expect(again.errors.contains("already holds a run"))
    }

    @Test func `rules beside the workload say what a row is to detect`() throws {
        let rules = """
            gate:
              - { metric: time, detect: 50% }
              - { cell: "*fetch*", metric: "*", detect: 80%, minimumEffect: 10% }
            """
        _ = try gate(["--pairs", "2"], on: "\(Self.engine)\n\(rules)").exitCode

        let found = try results.loadComparison().rows.compactMap { row in
            if case .paired(let rule) = row.rule { [row.cell: rule] } else { nil }
        }
        #expect(
            found == [
                ["object-graph/pooled/row=update": PairedRule(detect: 0.5, pairCount: 2)],
                [
                    "object-graph/pooled/row=fetch-realise": PairedRule(
                        detect: 0.8, minimumEffect: 0.1, pairCount: 2)
                ],
            ])
    }

    @Test func `an open phase is paired, one arm after the other under the same load`() throws {
        let bench = try gate(
            ["--pairs", "3"],
            on: """
                schema: 1
                name: open
                kind: load
                subjects: [sqlite-c]
                repetitions: 1
                parameters: { writers: 1, readers: 1, rows: 50 }
                mix: [{ operation: update }, { operation: read }]
                phases:
                  - { mode: warm-up, operations: 20 }
                  - { mode: open, operations: 200, rate: 10%, arrival: fixed }
                gate:
                  - { metric: intended.p50, detect: 50% }
                """)
        #expect([0, 10].contains(bench.exitCode), "\(bench.errors)")

        let rows = try results.loadComparison().rows
        #expect(rows.map(\.metric.name) == ["time", "cpuTime", "intended.p50"])
        // If the machine was too slow for the load, its intended latencies are not paired.
        #expect(rows.dropLast().allSatisfy { $0.pairs.count >= 3 })
        #expect(rows.allSatisfy { $0.pairs.count >= 3 || $0.verdict == .inconclusive })
    }
}
