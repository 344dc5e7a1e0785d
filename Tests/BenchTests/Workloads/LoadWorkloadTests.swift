import Foundation
import Measuring
import RunRecords
import TestSupport
import Testing

@Suite struct `The workload load` {
    private let folder = TemporaryFolder()
    private var results: RunDirectory { RunDirectory(url: folder.url("run")) }

    /// Everything that clients can do, in every kind of phase.
    private static let everything = """
        mix:
          - { operation: insert, weight: 3 }
          - { operation: update, weight: 5, keys: zipfian }
          - { operation: delete, weight: 2 }
          - { operation: read, weight: 5, keys: latest, skew: 0.5 }
          - { operation: page, weight: 2, keys: sequential }
          - { operation: count }
        phases:
          - { mode: warm-up, operations: 5 }
          - { mode: closed, operations: 40 }
          - { mode: open, operations: 20, rate: 50%, arrival: poisson }
        """

    /// Updates and reads of two items, over which writers conflict.
    private static let contention = """
        mix:
          - { operation: update }
          - { operation: read }
        phases:
          - { mode: closed, operations: 400 }
        """

    private func start(
        _ subjects: String, _ parameters: String, _ load: String = Self.everything,
        more: String = ""
    ) throws -> BenchProcess {
        let text = """
            schema: 1
            name: small
            kind: load
            subjects: [\(subjects)]
            repetitions: 1
            parameters: { \(parameters) }
            \(load)
            \(more)
            """
        try Data(text.utf8).write(to: folder.url("workload.yml"))
        // A fixed seed: by chance, one load in 100,000 lacks an operation of the mix.
        return try BenchProcess([
            "run", folder.path("workload.yml"), "--allow-debug", "--seed", "1",
            "--output", results.url.path,
        ])
    }

    /// The cells of a run in which everything was right.
    private func run(
        _ subjects: String, _ parameters: String, _ load: String = Self.everything,
        more: String = ""
    ) throws -> [CellResult] {
        let bench = try start(subjects, parameters, load, more: more)
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let cells = try #require(results.load().workloads.first).cells
        for cell in cells { #expect(cell.isSound, "\(cell.identifier): \(cell.verification)") }
        return cells
    }

    /// Why the only cell is wrong.
    private func reason(
        _ subject: String, _ parameters: String, _ load: String = Self.contention
    ) throws -> String {
        let bench = try start(subject, parameters, load)
        #expect(bench.exitCode == 13, "\(bench.errors)")
        let cell = try #require(results.load().workloads.first?.cells.first)
        #expect(!cell.isSound)
        guard case .failed(let reason) = cell.verification else { return "" }
        return reason
    }

    @Test func `every stack and peer keeps what two writers and two readers were told`() throws {
        let cells = try run("all-stacks, peers", "writers: 2, readers: 2, rows: 60, saveSize: 2")
        #expect(cells.count > 2)
        #expect(Set(cells.map(\.subject)).count == cells.count)
        for cell in cells {
            let sample = try #require(cell.samples.first)
            #expect(sample.value(of: "lostUpdates") == 0)
            #expect(sample.value(of: "undeliveredMerges") == 0)
            #expect(sample.latencies["closed.service"]?.count == 4 * 40)
            #expect(sample.latencies["intended"]?.count == 4 * 20)
            var servedCount: UInt64 = 0
            for operation in ["insert", "update", "delete", "read", "page", "count"] {
                #expect(
                    sample.latencies["\(operation).intended"] != nil,
                    "\(cell.identifier) \(operation)")
                servedCount += sample.latencies["\(operation).service"]?.count ?? 0
            }
            // On a machine that is busy with other tests, some may not have been served.
            let unserved = try #require(sample[.unserved])
            #expect(servedCount == 4 * 20 - UInt64(unserved), "\(cell.identifier)")
            #expect(try #require(sample.latencies["mainQueue"]).count > 0)
            #expect(try #require(sample[.capacity]) > 0)
        }
    }

    @Test func `a sample has no costs, since phases last as long as they are told`() throws {
        for cell in try run("shared, sqlite-c", "writers: 1, readers: 1, rows: 50") {
            let sample = try #require(cell.samples.first)
            let costs: [Metric] = [.time, .cpuTime, .peakMemory, .bytesWritten, .statements]
            for cost in costs { #expect(sample[cost] == nil, "\(cell.identifier) \(cost.name)") }
            #expect(try #require(cell.values(of: "statements").first) > 0)
        }
    }

    @Test(arguments: [("operations: 40", true), ("seconds: 1", false)])
    func `the main thread's time is that of a fixed number of operations`(
        extent: String, isKnown: Bool
    ) throws {
        let cells = try run(
            "shared", "writers: 1, readers: 1, rows: 50",
            """
            mix: [{ operation: update }, { operation: read }]
            phases: [{ mode: closed, \(extent) }]
            """)
        #expect((cells[0].values(of: "mainThreadTime").first != nil) == isKnown)
    }

    /// The view merges on the main queue while the writer continues.
    @Test func `what the saves of a turn set off is counted with it`() throws {
        let cells = try run(
            "shared", "writers: 1, readers: 0, rows: 10",
            """
            mix: [{ operation: update }]
            phases: [{ mode: closed, operations: 20 }]
            """)
        let counts = try #require(cells[0].counts)
        #expect(counts[.saves] == 20)
        #expect(counts[.merges] == 20)
    }

    @Test func `all are offered a share of the median of three readings of the reference`() throws {
        _ = try run(
            "sqlite-c, grdb", "writers: 1, readers: [1, 2], rows: 50", more: "reference: sqlite-c")
        let found = try results.load()
        let capacities = try #require(found.capacities)
        #expect(capacities.map(\.cell).sorted() == ["sqlite-c/readers=1", "sqlite-c/readers=2"])
        let summary = try String(contentsOf: results.summaryURL, encoding: .utf8)
        for capacity in capacities {
            #expect(capacity.shares == [0.5])
            #expect(capacity.writesPerSecond.count == 3)
            #expect(capacity.readsPerSecond.count == 3)
            #expect(summary.contains("\(capacity)"))
        }
    }

    @Test func `a run that is resumed goes on with the capacity that it has found`() throws {
        _ = try run(
            "sqlite-c, grdb", "writers: 1, readers: 1, rows: 50", more: "reference: sqlite-c")
        let before = try results.load()
        // Drops the last sample and the line that says that the run has ended.
        let journal = results.journal.url
        let lines = try String(contentsOf: journal, encoding: .utf8).split(separator: "\n")
        let kept = lines.dropLast(2).joined(separator: "\n")
        try Data("\(kept)\n".utf8).write(to: journal)

        let bench = try BenchProcess(["run", "--resume", results.url.path, "--allow-debug"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        let after = try results.load()
        #expect(after.capacities == before.capacities)
        #expect(after.workloads[0].cells.map(\.samples.count) == [1, 1])
    }

    @Test func `where the reference is wrong nobody is offered anything else`() throws {
        let bench = try start(
            "selftest-drops-update, sqlite-c", "writers: 1, readers: 1, rows: 10",
            """
            mix: [{ operation: update }, { operation: read }]
            phases:
              - { mode: closed, operations: 40 }
              - { mode: open, operations: 20, rate: 50% }
            """, more: "reference: selftest-drops-update")
        #expect(bench.exitCode == 13, "\(bench.errors)")
        let cells = try #require(results.load().workloads.first).cells
        let peer = try #require(cells.first { $0.subject == "sqlite-c" })
        #expect(peer.samples.isEmpty)
        let reason = try #require(peer.failure)
        #expect(reason.contains("selftest-drops-update/pooled"), "\(reason)")
        #expect(reason.contains("gave a wrong answer: lost updates is"), "\(reason)")
    }

    @Test func `where the reference is left out nobody is offered anything else`() throws {
        let bench = try start(
            "sqlite-c, grdb", "writers: 1, readers: [1, 2], rows: 50",
            more: """
                reference: sqlite-c
                exclude: [{ subject: sqlite-c, readers: 2 }]
                """)
        #expect(bench.exitCode == 14, "\(bench.errors)")
        let cells = try #require(results.load().workloads.first).cells
        let failed = cells.filter { $0.failure != nil }
        #expect(failed.map(\.identifier) == ["grdb/readers=2"])
        #expect(failed.first?.failure?.contains("no cell with its parameters") == true)
    }

    @Test func `stacks on a coordinator find conflicts and lose nothing`() throws {
        let cells = try run(
            "shared, single, isolated-batch, peers",
            "writers: 2, readers: 1, rows: 2, writersShareKeys: true", Self.contention)
        for cell in cells { #expect(cell.values(of: "lostUpdates") == [0], "\(cell.identifier)") }
        #expect(cells[0].values(of: "conflicts")[0] > 0)
    }

    @Test func `children of one context lose updates, which is wrong unless it is asked for`()
        throws
    {
        let parameters = "writers: 2, readers: 0, rows: 2, writersShareKeys: true"
        let load = Self.contention.replacing("  - { operation: read }\n", with: "")
        #expect(try reason("nested", parameters, load).contains("lost updates is"))
        try FileManager.default.removeItem(at: results.url)
        let cells = try run(
            "nested", parameters, load, more: "checks: [rows, undeliveredMerges]")
        #expect(cells[0].values(of: "lostUpdates")[0] > 0)
    }

    /// The same, repeated so often that readers and writers overtake each other.
    private static let longContention = Self.contention.replacing(
        "operations: 400", with: "operations: 4000")

    @Test(arguments: [
        (
            subject: "selftest-drops-update", writers: 1, rows: 2, load: contention,
            reason: "lost updates is"
        ),
        ("selftest-swallows-conflict", 2, 2, contention, "lost updates is"),
        ("selftest-loses-merge", 1, 10, longContention, "stale reads is"),
        ("selftest-unsafe", 1, 2, contention, "synchronous is 0, must be 1"),
    ])
    func `a fault is found, exits 13 and does not rank`(
        subject: String, writers: Int, rows: Int, load: String, reason: String
    ) throws {
        let found = try self.reason(
            subject, "writers: \(writers), readers: 1, rows: \(rows), writersShareKeys: true", load)
        #expect(found.contains(reason), "\(found)")
        let report = try String(contentsOf: results.reportURL, encoding: .utf8)
        #expect(report.contains("✗"))
    }

    @Test func `a merge that is lost is found also when nobody reads`() throws {
        let load = """
            mix: [{ operation: update, keys: sequential }]
            phases: [{ mode: closed, operations: 40 }]
            """
        let found = try reason("selftest-loses-merge", "writers: 1, readers: 0, rows: 40", load)
        #expect(found == "undelivered merges is 4, must be 0")
    }

    @Test func `subjects that show faults are not listed`() throws {
        let bench = try BenchProcess(["list"])
        #expect(!bench.output.contains("selftest-"))
    }

    @Test func `doing nothing shows what the harness costs, and is not verified`() throws {
        let cells = try run(
            "selftest-null", "writers: 1, readers: 1",
            """
            mix: [{ operation: update }, { operation: read, keys: zipfian }]
            phases: [{ mode: closed, operations: 1000 }]
            """)
        #expect(cells[0].verification == .notApplicable)
        #expect(cells[0].samples[0].latencies["service"]?.count == 2_000)
    }

    @Test func `more than a subject can do is told as saturation`() throws {
        let cells = try run(
            "sqlite-c", "writers: 1, readers: 0, rows: 10",
            """
            mix: [{ operation: update }]
            phases: [{ mode: open, seconds: 0.05, rate: 10000000, arrival: fixed }]
            """)
        let sample = cells[0].samples[0]
        #expect(sample[.saturated] == 1)
        #expect(try #require(sample[.unserved]) > 0)
    }

    @Test func `thresholds stand beside the workload and are judged after the run`() throws {
        let bench = try start(
            "sqlite-c", "writers: 1, readers: 1, rows: 50",
            more: """
                thresholds:
                  - { cell: "sqlite*", metric: lost*, exactly: 0 }
                  - { metric: lost*, exactly: 1, reason: nothing is so idle }
                """)
        #expect(bench.exitCode == 11, "\(bench.errors)")
        #expect(bench.errors.contains("✓ small sqlite-c: lostUpdates 0, limit = 0 in every sample"))
        #expect(bench.errors.contains("nothing is so idle"))
        #expect(try results.load().thresholds.count == 2)
        let again = try BenchProcess(["check", results.url.path])
        #expect(again.exitCode == 11)
        #expect(again.output.contains("nothing is so idle"))
        for report in ["summary.md", "report.html", "verdict.json", "junit.xml"] {
            let text = try String(contentsOf: results.url.appending(path: report), encoding: .utf8)
            #expect(text.contains("nothing is so idle"), "\(report)")
            if report == "verdict.json" { #expect(text.contains(#""exitCode" : 11"#)) }
        }
    }

    @Test func `latencies of a saturated load are not judged`() throws {
        let bench = try start(
            "sqlite-c", "writers: 1, readers: 0, rows: 10",
            """
            mix: [{ operation: update }]
            phases: [{ mode: open, seconds: 0.05, rate: 10000000, arrival: fixed }]
            thresholds: [{ metric: intended.p99, atMost: 1e12 }]
            """)
        #expect(bench.exitCode == 12, "\(bench.errors)")
        #expect(bench.errors.contains("the load was saturated"))
    }

    @Test func `a rule on a metric that nothing has exits 64 before anything is run`() throws {
        let bench = try start(
            "sqlite-c", "writers: 1, readers: 1, rows: 50",
            more: "thresholds: [{ metric: lostUpdate, exactly: 0 }]")
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("lostUpdate"))
        #expect(throws: RunDirectoryError.self) { try results.load() }
    }

    @Test func `excluded cells are not run`() throws {
        let cells = try run(
            "single, sqlite-c", "writers: [1, 2], readers: [0, 1], rows: 50",
            more: """
                exclude:
                  - { subject: s?ngle, writers: 2 }
                  - { readers: 0 }
                """)
        #expect(
            cells.map(\.identifier) == [
                "single/pooled/readers=1,writers=1", "sqlite-c/readers=1,writers=1",
                "sqlite-c/readers=1,writers=2",
            ])
    }
}
