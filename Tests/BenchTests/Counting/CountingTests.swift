import Foundation
import Measuring
import RunRecords
import TestSupport
import Testing

@Suite struct `Counting work` {
    private func expect(
        _ counts: [String: Int64], equal others: [String: Int64], except excluded: String?
    ) {
        for metric in Metric.counts where metric.name != excluded {
            guard case .exact(let tolerance) = metric.repeatability else { continue }
            let (count, other) = (counts[metric.name] ?? 0, others[metric.name] ?? 0)
            #expect(
                Double(abs(count - other)) <= tolerance * Double(other),
                "\(metric.name): \(count), must be \(other)")
        }
    }

    @Test(arguments: ["object-graph", "grdb", "sqlite-c"])
    func `the same work counts the same in another process`(subject: String) throws {
        let first = try WorkerConversation(subject, row: "update", rows: 300).counts()
        let second = try WorkerConversation(subject, row: "update", rows: 300).counts()
        expect(second, equal: first, except: nil)
        #expect(first["transactions"] == 1)
        #expect(first["statements", default: 0] >= 300)
    }

    /// Source: sqlite.org/fileformat2.html, section 4. A log is a header of 32 bytes, then frames
    /// of a header of 24 bytes and a page each.
    @Test func `the bytes of the WAL are its header and frames`() throws {
        let counts = try #require(
            WorkerConversation("sqlite-c", row: "batch-insert", rows: 300).turn().counts)
        #expect(counts["checkpoints"] == 0)
        #expect(counts["walBytes"] == 32 + counts["pagesWritten", default: 0] * (24 + 4_096))
        #expect(counts["transactions"] == 1)
    }

    @Test(arguments: [("fault", 0), ("fault-in-transaction", 2)])
    func `a peer's selects by key are in one transaction or each in its own`(
        row: String, extra: Int
    ) throws {
        let counts = try WorkerConversation("sqlite-c", row: row, rows: 300).counts()
        #expect(counts["statements"] == Int64(300 + extra))
    }

    @Test func `each fault of the engine counts, although the faults of a turn share a run`() throws
    {
        let counts = try WorkerConversation("object-graph", row: "fault", rows: 300).counts()
        #expect(counts["statements", default: 0] >= 300)
    }

    @Test(arguments: ["object-graph", "sqlite-c"])
    func `of growth the work on the many rows is counted and no making of stores`(
        subject: String
    ) throws {
        let worker = try WorkerConversation(subject, row: "growth-insert", rows: 700)
        let counts = try #require(worker.turn().counts)
        #expect(counts["transactions", default: 0] <= 2)
    }

    @Test func `what only the engine can count stands beside the probes`() throws {
        let worker = try WorkerConversation("object-graph", row: "update", rows: 300)
        let counts = try worker.counts()
        #expect(counts["saves"] == 1)
        #expect(counts["conflicts"] == 0)
    }

    /// What is injected, and the count that it should change.
    private static var extras: [(extra: String, metric: String)] {
        let extras = [("statement", "statements"), ("page", "pagesWritten"), ("sync", "syncs")]
        #if THREAD_SANITIZER || ADDRESS_SANITIZER
        // The sanitizer's allocator does not count.
        return extras
        #else
        return extras + [("allocation", "allocations")]
        #endif
    }

    @Test(arguments: extras)
    func `one more of a thing changes its own count alone`(
        extra: String, metric: String
    ) throws {
        let clean = try WorkerConversation("sqlite-c", row: "update", rows: 300)
        let injected = try WorkerConversation("sqlite-c", row: "update", rows: 300, extra: extra)
        let (before, after) = (try clean.counts(), try injected.counts())
        expect(after, equal: before, except: metric)
        #expect(after[metric] == before[metric, default: 0] + 1)
    }

    /// With many rows, the steps of one more statement are within the tolerance of half a percent.
    /// With few rows, one more allocation is outside it.
    @Test(arguments: extras)
    func `one more of a thing trips its own rule alone`(extra: String, metric: String) throws {
        func sample(extra: String?) throws -> Sample {
            let worker = try WorkerConversation(
                "sqlite-c", row: "update", rows: metric == "allocations" ? 10 : 300, extra: extra)
            return Sample(
                repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                metrics: try worker.counts().mapValues(Double.init))
        }
        let rows = Comparison.exactRows(
            workload: "small", cell: "sqlite-c", base: [try sample(extra: nil)],
            head: [try sample(extra: extra)])

        let tripped = rows.filter { $0.verdict != .ok }
        #expect(tripped.map(\.metric.name) == [metric])
        #expect(tripped.map(\.verdict) == [.regressed])
    }

    /// The view merges on the main queue while the work continues elsewhere.
    @Test(arguments: ["shared", "isolated-batch"])
    func `what a save sets off is counted with it`(subject: String) throws {
        let folder = TemporaryFolder()
        let text = """
            schema: 1
            name: saves
            kind: batch-insert
            subjects: [\(subject)]
            dataset: { flights: 60 }
            parameters: { mode: loop, rows: 60, saveSize: 20 }
            """
        try Data(text.utf8).write(to: folder.url("saves.yml"))
        let bench = try BenchProcess([
            "run", folder.path("saves.yml"), "--allow-debug", "--quick", "--output",
            folder.path("run"),
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let run = try RunDirectory(url: folder.url("run")).load()
        let counts = try #require(run.workloads.first?.cells.first?.counts)
        #expect(counts[.saves] == 3)
        #expect(counts[.merges] == 3)
        #expect(counts[.mergedObjects] == 60)
    }

    @Test func `a worker does as many operations as it is told, and all are verified`() throws {
        let worker = try WorkerConversation("sqlite-c", row: "update", rows: 50, isCounting: false)
        #expect(try worker.turn(3).operationCount == 3)
        #expect(try worker.turn(4).operationCount == 4)
        guard case .verified = try worker.finish() else {
            Issue.record("not verified")
            return
        }
    }

    @Test func `work that needs a new store each time is done once a turn`() throws {
        let worker = try WorkerConversation("sqlite-c", row: "insert", rows: 50, isCounting: false)
        let turn = try worker.turn(5)
        #expect(turn.operationCount == 1)
        #expect(!turn.isLast)
        _ = try worker.finish()
    }

    @Test func `work that cannot be repeated has one turn`() throws {
        let worker = try WorkerConversation(
            "sqlite-c", row: "fetch-memory", rows: 50, isCounting: false)
        #expect(try worker.turn().isLast)
    }
}
