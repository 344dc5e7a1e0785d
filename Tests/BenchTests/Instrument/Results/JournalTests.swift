import Foundation
import Measuring
import RunRecords
import TestSupport
import Testing

@Suite struct `A journal` {
    private let folder = TemporaryFolder()
    private var journal: Journal<RunEntry> { Journal(url: folder.url("journal.jsonl")) }

    private static let beginning = {
        var run = SampleRun.run([
            SampleRun.workload([SampleRun.cell("nested", []), SampleRun.cell("grdb", [])])
        ])
        run.state = .running
        run.finishedAt = nil
        return run
    }()

    private static func measured(_ cell: String, _ repetition: Int?) -> RunEntry {
        let sample = Sample(
            repetition: repetition ?? 0, positionInRound: 0, startedAtSeconds: 1,
            metrics: ["time": 2])
        return .measured(
            RunEntry.Measurement(
                workload: "import", cell: cell, repetition: repetition,
                outcome: .sample(sample, .notApplicable)))
    }

    private func append(_ text: String) throws {
        let file = try FileHandle(forWritingTo: journal.url)
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
    }

    @Test func `a full disk is named`() {
        let full = Journal<RunEntry>(url: URL(fileURLWithPath: "/dev/full"))

        #expect {
            try full.append(Self.measured("nested", 0))
        } throws: { error in
            "\(error)".contains("/dev/full") && "\(error)".contains("No space left on device")
        }
    }

    @Test func `entries come back in order`() throws {
        let entries = [
            .began(Self.beginning), Self.measured("nested", 0), Self.measured("grdb", 0),
        ]
        for entry in entries { try journal.append(entry) }
        #expect(try journal.entries() == entries)
    }

    @Test func `where there is no file there are no entries`() throws {
        #expect(try journal.entries().isEmpty)
    }

    @Test func `what a killed writer left of a line is passed over and then cut off`() throws {
        try journal.append(.began(Self.beginning))
        try append(#"{"measured":{"_0":{"workload":"imp"#)
        #expect(try journal.entries().count == 1)

        try journal.repair()
        try journal.append(Self.measured("nested", 0))
        #expect(try journal.entries() == [.began(Self.beginning), Self.measured("nested", 0)])
    }

    @Test func `a whole line that is no entry is refused with its number`() throws {
        try journal.append(.began(Self.beginning))
        try append("{}\n")
        #expect {
            try journal.entries()
        } throws: { error in
            "\(error)".contains("line 2")
        }
    }

    @Test func `a run is what its journal tells`() throws {
        let run = try #require(
            Run(replaying: [
                .began(Self.beginning), Self.measured("nested", nil), Self.measured("nested", 0),
                Self.measured("grdb", 0), Self.measured("nested", 1),
            ]))
        #expect(run.state == .running)
        let cells = run.workloads[0].cells
        #expect(cells.map { $0.samples.map(\.repetition) } == [[0, 1], [0]])
        #expect(cells.map { $0.counts != nil } == [true, false])
    }

    @Test func `what a load was offered a share of is kept, and told beside the workload`() throws {
        let capacity = LoadCapacity(
            workload: "import", cell: "nested", shares: [0.6],
            writesPerSecond: [1_450, 900, 2_000], readsPerSecond: [4_360, 4_500, 7_555])
        let entries = [
            .began(Self.beginning), .foundCapacity(capacity), Self.measured("nested", 0),
        ]
        for entry in entries { try journal.append(entry) }
        let run = try #require(Run(replaying: journal.entries()))
        #expect(run.capacities == [capacity])
        #expect(
            run.workloads[0].notes == [
                "Offered: 60 % of 1,450 writes/s and 4,500 reads/s, the medians of 3 readings of "
                    + "`nested`: 5,810, 5,400 and 9,555 operations/s in total."
            ])
    }

    @Test func `a run that was interrupted and resumed is running again`() throws {
        let date = Date(timeIntervalSince1970: 0)
        let run = try #require(
            Run(replaying: [
                .began(Self.beginning), .ended(.interrupted, at: date), .resumed(at: date),
            ]))
        #expect(run.state == .running)
        #expect(run.finishedAt == nil)
    }

    @Test func `a count stands in for a metric that no sample has`() {
        var cell = SampleRun.cell("nested", [1, 2])
        cell.counts = Sample(
            repetition: 0, positionInRound: 0, startedAtSeconds: 0,
            metrics: ["time": 9, "syncs": 4])
        #expect(cell.values(of: "syncs") == [4])
        #expect(cell.values(of: "time") == [1, 2])
    }
}
