import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@Suite struct `Run directory` {
    @Test func `a run comes back as it was written`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.write(SampleRun.full)

        #expect(try directory.load() == SampleRun.full)
    }

    @Test func `reports come out the same from the loaded run`() throws {
        let (first, second) = (try TemporaryRuns.directory(), try TemporaryRuns.directory())
        defer { [first, second].forEach(TemporaryRuns.remove) }
        try first.write(SampleRun.full)

        try first.writeReports(of: SampleRun.full)
        try second.writeReports(of: first.load())

        for name in Golden.runFiles {
            let files = [first, second].map { $0.url.appendingPathComponent(name) }
            #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[1]), "\(name)")
        }
    }

    @Test func `a run that was killed half-way can be read and reported`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        var run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [1])])])
        run.state = .running
        run.finishedAt = nil
        try directory.write(run)
        run.workloads[0].cells.append(SampleRun.cell("grdb", []))
        try directory.write(run)

        let loaded = try directory.load()
        try directory.writeReports(of: loaded)

        #expect(loaded.workloads[0].cells.map(\.samples.count) == [1, 0])
        let report = try String(contentsOf: directory.summaryURL, encoding: .utf8)
        #expect(report.contains("The run has not finished or was killed"))
    }

    @Test func `values that are not numbers survive and are left out of statistics`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        let run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [1, .nan, 3])])])

        try directory.write(run)
        let cell = try directory.load().workloads[0].cells[0]

        #expect(cell.samples[1][.time]?.isNaN == true)
        #expect(cell.values(of: "time") == [1, 3])
        #expect(
            Caution.on(run).contains(.notNumbers(workload: "Import", cells: ["nested"])))
    }

    @Test func `a folder that holds a run is not written over`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        try directory.write(SampleRun.full)

        #expect(throws: RunDirectoryError.alreadyExists(path: directory.url.path)) {
            try RunDirectory.create(
                directory.url.lastPathComponent, in: directory.url.deletingLastPathComponent())
        }
    }

    @Test func `what is not a run is refused with the reason`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        #expect(throws: RunDirectoryError.missing(path: directory.runURL.path)) {
            try directory.load()
        }

        try Data(#"{"schema": 99}"#.utf8).write(to: directory.runURL)
        #expect(
            throws: RunDirectoryError.unsupportedSchema(path: directory.runURL.path, found: 99)
        ) { try directory.load() }

        try Data(#"{"schema": 1}"#.utf8).write(to: directory.runURL)
        let error = #expect(throws: RunDirectoryError.self) { try directory.load() }
        #expect(error?.description.contains("is missing") == true)
    }

    @Test func `counts come from the counting pass, unless a sample has measured them`() {
        var sample = Sample()
        sample.counters = ["statements": 182_589, "saves": 7]
        sample.metrics["conflicts"] = 2
        var cell = CellResult(subject: "shared", role: .stack, samples: [sample])
        #expect(cell.values(of: "statements") == [182_589])
        cell.counts = Sample(
            repetition: 0, positionInRound: 0, startedAtSeconds: 0,
            metrics: ["statements": 83, "conflicts": 0])

        #expect(cell.values(of: "statements") == [83])
        #expect(cell.values(of: "conflicts") == [2])
        #expect(cell.values(of: "saves") == [7])
    }

    @Test func `a metric of a cell is found by name, counters and percentiles too`() {
        var sample = Sample()
        var recorder = LatencyRecorder()
        for value in UInt64(1)...100 { recorder.record(nanoseconds: value) }
        sample[.time] = 2
        sample.counters["statements"] = 3
        sample.latencies["mainQueue"] = recorder.summary

        #expect(sample[.time] == 2)
        #expect(sample[.statements] == 3)
        #expect(sample.value(of: "mainQueue.p50") == 50)
        #expect(sample.value(of: "mainQueue.p99") == nil)
        #expect(sample.value(of: "mainQueue.max") == 100)
        #expect(
            sample.valueNames == ["time", "statements", "mainQueue.p50", "mainQueue.max"])
    }
}
