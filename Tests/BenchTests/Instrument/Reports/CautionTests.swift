import Foundation
import Reports
import RunRecords
import Testing

@Suite struct `What to know before believing a run` {
    @Test func `a run without workloads still gives a report`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: SampleRun.run([]))

        let report = try String(contentsOf: directory.summaryURL, encoding: .utf8)
        #expect(report.contains("This run asks no question"))
    }

    @Test func `a cell that an interrupted run did not come to is not called right`() throws {
        var run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [])])])
        run.state = .running
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.writeReports(of: run)

        let suites = try String(
            contentsOf: directory.url.appendingPathComponent("junit.xml"), encoding: .utf8)
        #expect(suites.contains("not measured") && !suites.contains("is right"))
        #expect(run.exitCode == .interrupted)
    }

    @Test func `cautions say what to do next`() {
        var run = SampleRun.run([
            SampleRun.workload([SampleRun.cell("nested", [1, 1])])
        ])
        run.build = .debug
        run.state = .interrupted
        run.dataset?.origin = .generated
        run.environment = SampleRun.environment(loadAverage: 3)

        #expect(
            Caution.on(run) == [
                .debugBuild, .unfinished(.interrupted), .generatedData,
                .busyMachine(loadAverage: 3, coreCount: 2),
            ])
    }

    @Test func `an unsteady canary is a caution`() {
        var cell = SampleRun.cell("nested", Array(repeating: 1, count: 10))
        for index in cell.samples.indices {
            cell.samples[index][.canary] = index < 8 ? 0.001 : 0.0015
        }

        let cautions = Caution.on(SampleRun.run([SampleRun.workload([cell])]))

        #expect(cautions.contains { if case .unsteadyMachine = $0 { true } else { false } })
    }
}

/// Makes a folder for one test.
enum TemporaryRuns {
    static func directory() throws -> RunDirectory {
        try RunDirectory.create(
            UUID().uuidString, in: FileManager.default.temporaryDirectory)
    }

    static func remove(_ directory: RunDirectory) {
        try? FileManager.default.removeItem(at: directory.url)
    }
}
