import Benchmarking
import Foundation
import Testing

@Suite struct `Answers` {
    @Test func `the fastest stack beyond doubt is named and bold`() throws {
        let report = try report([
            SampleRun.cell("nested", [2, 2.1, 2, 2.2, 2]),
            SampleRun.cell("single", [1, 1.1, 1, 1, 1.2]),
            SampleRun.cell("grdb", [0.5, 0.5, 0.5, 0.5, 0.5], role: .peer),
        ])

        #expect(report.contains("**single** is clearly the fastest: 1.00 s [1.00, 1.20]."))
        #expect(report.contains("Next is nested with 2.00× [1.67, 2.20] the time."))
        #expect(report.contains("The peers: grdb with 0.50× [0.42, 0.50] the time."))
        #expect(report.contains("| **1.00 s [1.00, 1.20]** |"))
        #expect(!report.contains("**500 ms"))
    }

    @Test func `a difference within the interval is no win`() throws {
        let report = try report([
            SampleRun.cell("nested", [1, 1.1, 1, 1.2, 1]),
            SampleRun.cell("single", [1.1, 1, 1.1, 1, 1.1]),
        ])

        #expect(report.contains("no clear winner"))
        #expect(!report.contains("**1.0"))
    }

    @Test func `a fast stack with a wrong answer does not win`() throws {
        var wrong = SampleRun.cell("wrong", [0.1, 0.1, 0.1, 0.1, 0.1])
        wrong.verification = .failed(reason: "12 rows | not 13")

        let report = try report([wrong, SampleRun.cell("right", [1, 1, 1, 1, 1])])

        #expect(report.contains("right has time 1.00 s, and no rival."))
        #expect(report.contains("**✗ wrong gave a wrong answer: not ranked.**"))
        #expect(report.contains("**wrong** gave a wrong answer: 12 rows \\| not 13"))
    }

    @Test func `three rounds do not make a winner`() throws {
        let report = try report([
            SampleRun.cell("nested", [2, 2, 2]), SampleRun.cell("single", [1, 1, 1]),
        ])

        #expect(report.contains("too few rounds (3) to name a winner"))
        #expect(report.contains("3 samples are too few"))
    }

    @Test func `lock policies are told apart where there are two`() throws {
        let report = try report([
            SampleRun.cell("nested", [1, 1, 1, 1, 1], lockPolicy: "pooled"),
            SampleRun.cell("nested", [2, 2, 2, 2, 2], lockPolicy: "serialized"),
        ])

        #expect(report.contains("**nested, pooled** is clearly the fastest"))
    }

    @Test func `a run without workloads still gives a report`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: SampleRun.run([]))

        let report = try String(contentsOf: directory.summaryURL, encoding: .utf8)
        #expect(report.contains("Nothing was measured."))
    }

    /// Its latencies tell how long the phase lasted.
    @Test func `who did not keep up with a load has no rank by its latencies`() throws {
        let metric = Metric.named("read.intended.p99")
        var workload = SampleRun.workload(
            [("nested", 2e6, 0.0), ("single", 1e6, 1)].map { name, latency, saturated in
                var cell = SampleRun.cell(name, [1, 1, 1, 1, 1])
                for index in cell.samples.indices {
                    cell.samples[index].metrics[metric.name] = latency
                    cell.samples[index].metrics[Metric.saturated.name] = saturated
                }
                return cell
            })
        workload.primaryMetric = metric
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: SampleRun.run([workload]))

        let report = try String(contentsOf: directory.summaryURL, encoding: .utf8)
        #expect(report.contains("nested has read.intended.p99 2.00 ms, and no rival."))
    }

    @Test func `a cell that an interrupted run did not come to is not called right`() throws {
        var run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [])])])
        run.state = .running
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: run)

        let suites = try String(
            contentsOf: directory.url.appendingPathComponent("junit.xml"), encoding: .utf8)
        #expect(suites.contains("was not measured") && !suites.contains("was right"))
        #expect(run.exitCode == .interrupted)
    }

    @Test func `advice says what to do next`() {
        var run = SampleRun.run([
            SampleRun.workload([
                SampleRun.cell("few", [1, 1]), SampleRun.cell("wide", [1, 1, 1, 1, 1.5]),
                SampleRun.cell("slow", [2, 1, 1, 1, 1]),
            ])
        ])
        run.build = .debug
        run.state = .interrupted
        run.dataset?.origin = .generated
        run.environment = SampleRun.environment(loadAverage: 3)

        #expect(
            Advice.on(run) == [
                .debugBuild, .unfinished(.interrupted), .generatedData,
                .busyMachine(loadAverage: 3, coreCount: 2),
                .fewSamples(workload: "Import", count: 2),
                .wideSpread(workload: "Import", cells: ["wide", "slow"]),
                .slowFirstSample(workload: "Import", cells: ["slow"]),
            ])
    }

    @Test func `an unsteady canary gives advice`() {
        var cell = SampleRun.cell("nested", Array(repeating: 1, count: 10))
        for index in cell.samples.indices {
            cell.samples[index][.canary] = index < 8 ? 0.001 : 0.0015
        }

        let advice = Advice.on(SampleRun.run([SampleRun.workload([cell])]))

        #expect(advice.contains { if case .unsteadyMachine = $0 { true } else { false } })
    }

    private func report(_ cells: [CellResult]) throws -> String {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        try directory.writeReports(of: SampleRun.run([SampleRun.workload(cells)]))
        return try String(contentsOf: directory.summaryURL, encoding: .utf8)
    }
}

/// Folders for one test each.
enum TemporaryRuns {
    static func directory() throws -> RunDirectory {
        try RunDirectory.create(
            UUID().uuidString, in: FileManager.default.temporaryDirectory)
    }

    static func remove(_ directory: RunDirectory) {
        try? FileManager.default.removeItem(at: directory.url)
    }
}
