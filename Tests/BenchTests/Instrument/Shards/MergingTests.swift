import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@Suite struct `Merging (measuring §14)` {
    private static func merged(_ shards: [(path: String, run: Run)]) throws -> Run {
        try Run(merging: shards, name: "merged", commandLine: ["bench", "merge"])
    }

    private static func error(_ shards: [(path: String, run: Run)]) -> MergeError? {
        #expect(throws: MergeError.self) { try Self.merged(shards) }
    }

    @Test(arguments: 1...5)
    func `all shards together are the run`(count: Int) throws {
        var merged = try Self.merged(SampleShards.of(SampleRun.full, count: count).reversed())

        #expect(merged.state == .completed)
        #expect(merged.shards?.map(\.number) == Array(1...count))
        #expect(merged.startedAt == SampleRun.full.startedAt + 1)
        #expect(
            merged.questionResults.map(\.isDecided)
                == SampleRun.full.questionResults.map(\.isDecided))
        let numbers = merged.workloads.flatMap(\.cells).map(\.shard)
        #expect(numbers.allSatisfy { $0 != nil })
        for place in merged.workloads.indices {
            for index in merged.workloads[place].cells.indices {
                merged.workloads[place].cells[index].shard = nil
            }
        }
        #expect(merged.workloads == SampleRun.full.workloads)
    }

    @Test func `a shard decides with the error of the whole run`() {
        for (_, shard) in SampleShards.of(SampleRun.full, count: 3) {
            #expect(
                shard.sequentialDesign.nextLook(after: 5)
                    == SampleRun.full.sequentialDesign.nextLook(after: 5))
        }
    }

    @Test func `a cell that no shard came to is there without samples`() throws {
        var shards = SampleShards.of(SampleRun.full, count: 2)
        let place = try #require(
            shards[0].run.workloads.firstIndex { $0.name == "paging" })
        shards[0].run.workloads[place].cells.removeAll()

        let cells = try Self.merged(shards).workloads.flatMap(\.cells)

        #expect(cells.count == SampleRun.full.workloads.flatMap(\.cells).count)
        #expect(cells.contains { $0.samples.isEmpty && $0.shard == 1 })
    }

    @Test func `the capacities of all shards are kept, with their notes`() throws {
        var shards = SampleShards.of(SampleRun.full, count: 2)
        let capacity = LoadCapacity(workload: "load", cell: "shared", shares: [0.5])
        shards[1].run.capacities = [capacity]

        let merged = try Self.merged(shards)

        #expect(merged.capacities == [capacity])
        #expect(merged.workloads.first { $0.name == "load" }?.notes == ["\(capacity)"])
    }

    @Test func `a missing shard is named`() {
        var shards = SampleShards.of(SampleRun.full, count: 4)
        shards.remove(at: 2)
        #expect(Self.error(shards) == .missing([3], of: 4))
        #expect(Self.error(Array(shards.prefix(1))) == .missing([2, 3, 4], of: 4))
    }

    @Test func `a shard that is given twice is named`() {
        let shards = SampleShards.of(SampleRun.full, count: 2)
        var again = shards[1]
        again.path = "copy"
        #expect(
            Self.error(shards + [again]) == .twice(2, paths: ["results/shard-2", "copy"]))
    }

    @Test func `a whole run is no shard`() {
        var shards = SampleShards.of(SampleRun.full, count: 2)
        shards[1].run.shard = nil
        #expect(Self.error(shards) == .notAShard(path: "results/shard-2"))
        shards[1].run.shard = Shard(number: 1, count: 0, cells: [:], plan: [])
        #expect(Self.error(shards) == .notAShard(path: "results/shard-2"))
    }

    @Test(arguments: [RunState.running, .interrupted])
    func `an unfinished shard is refused`(state: RunState) {
        var shards = SampleShards.of(SampleRun.full, count: 2)
        shards[0].run.state = state
        #expect(Self.error(shards) == .unfinished(path: "results/shard-1", state))
    }

    private static let changes: [(trait: MergeError.Trait, change: @Sendable (inout Run) -> Void)] =
        [
            (.shardCount, { $0.shard?.count = 3 }),
            (.seed, { $0.seed += 1 }),
            (.commit, { $0.commit = "0000000" }),
            (.build, { $0.build = .debug }),
            (.swiftVersion, { $0.environment.identity.swiftVersion = "Swift 7" }),
            (.sqlite, { $0.environment.identity.sqliteVersion = "3.50.0" }),
            (.sqlite, { $0.environment.identity.sqliteCompileOptions = [] }),
            (.allocator, { $0.environment.identity.allocator = "malloc" }),
            (.dataset, { $0.dataset?.identity = "seed 1" }),
            (.workload("paging"), { $0.shard?.plan[2].cells.removeLast() }),
            (.workload("load"), { $0.shard?.plan.removeLast() }),
        ]

    @Test(arguments: 0..<changes.count)
    func `shards of different runs are refused`(number: Int) {
        let (trait, change) = Self.changes[number]
        var shards = SampleShards.of(SampleRun.full, count: 2)
        change(&shards[1].run)
        #expect(
            Self.error(shards)
                == .differs(trait, paths: ["results/shard-1", "results/shard-2"]))
    }

    @Test func `a cell that is in two shards or in none is refused`() {
        let shards = SampleShards.of(SampleRun.full, count: 2)
        var (twice, never) = (shards, shards)
        let cell = shards[0].run.shard!.cells["load"] ?? shards[1].run.shard!.cells["load"]!
        for index in shards.indices {
            twice[index].run.shard?.cells["load"] = cell
            never[index].run.shard?.cells["load"] = nil
        }
        #expect(Self.error(twice) == .notOnce(workload: "load", cell: cell[0]))
        #expect(Self.error(never) == .notOnce(workload: "load", cell: cell[0]))
    }

    @Test func `each refusal says what to do`() {
        let errors: [MergeError] =
            [
                .notAShard(path: "a"), .unfinished(path: "a", .running), .missing([1, 2], of: 3),
                .twice(1, paths: ["a", "b"]), .notOnce(workload: "w", cell: "c"),
            ] + Self.changes.map { .differs($0.trait, paths: ["a", "b"]) }
        for error in errors {
            #expect("\(error)".contains(/; (make|go on|name|run|use|give|build|fetch)/), "\(error)")
        }
    }

    @Test func `it comes back as it was written`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        let shards = SampleShards.of(SampleRun.full, count: 2)
        let merged = try Self.merged(shards)

        try directory.write(merged)
        #expect(try directory.load() == merged)
        try directory.write(shards[0].run)
        #expect(try directory.load() == shards[0].run)
    }
}

@Suite struct `Reports of shards` {
    private static func files(_ run: Run) throws -> [String: String] {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }
        try directory.writeReports(of: run)
        return try ["summary.md", "report.html", "samples.csv", "figures.csv"].reduce(into: [:]) {
            $0[$1] = try String(
                contentsOf: directory.url.appendingPathComponent($1), encoding: .utf8)
        }
    }

    /// With shards for the two extents of paging, and a busy machine for the second.
    private static func merged() throws -> Run {
        var run = SampleRun.full
        for place in run.workloads.indices {
            for index in run.workloads[place].cells.indices {
                for sample in run.workloads[place].cells[index].samples.indices {
                    run.workloads[place].cells[index].samples[sample][.canary] = 0.001
                }
            }
        }
        var shards = SampleShards.of(run, count: 3)
        shards[1].run.environment.volatile.loadAverage = 5
        return try Run(merging: shards, name: "merged", commandLine: ["bench", "merge"])
    }

    @Test func `the conditions of each shard are shown`() throws {
        let files = try Self.files(Self.merged())
        for name in ["summary.md", "report.html"] {
            let text = try #require(files[name])
            for number in 1...3 {
                #expect(text.contains("2 × Processor \(number)"), "\(name)")
                #expect(text.contains("--shard=\(number)/3"), "\(name)")
            }
            #expect(
                text.contains("The machine of shard 2 was busy at the start (load 5.0 on 2 cores)"))
            #expect(text.contains("3 shards were measured apart."))
        }
        let page = try #require(files["report.html"])
        #expect((1...3).allSatisfy { page.contains("Noise of the machine of shard \($0)") })
        _ = try Document(page)
    }

    @Test func `a table says which machine measured a case, and no line joins two machines`() throws
    {
        var run = SampleRun.run([
            SampleRun.workload(
                ["1", "2", "3"].map { SampleRun.cell("nested", [1, 1], parameters: ["size": $0]) })
        ])
        #expect(try Self.files(run)["report.html"]?.contains("over size") == true)

        run = try Run(
            merging: SampleShards.of(run, count: 3), name: "merged", commandLine: ["bench"])
        let files = try Self.files(run)

        #expect(files["report.html"]?.contains("over size") == false)
        let summary = try #require(files["summary.md"])
        #expect(summary.contains(/\| size \| shard \| subject/))
        #expect(summary.contains(/\| 3    \| 3     \| nested/))
    }

    @Test func `each line of the tables has its shard`() throws {
        let run = try Self.merged()
        let files = try Self.files(run)
        for name in ["samples.csv", "figures.csv"] {
            let lines = try #require(files[name]).split(separator: "\r\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            let place = try #require(lines[0].firstIndex(of: "shard"))
            // A quoted field may have a comma.
            let plain = lines.dropFirst().filter { !$0.joined().contains("\"") }
            #expect(plain.count > 20)
            #expect(Set(plain.map { $0[place] }).isSubset(of: ["1", "2", "3"]))
        }
    }

    @Test func `a shard's own report says that it is a part`() throws {
        let shard = SampleShards.of(SampleRun.full, count: 3)[1].run
        let summary = try #require(Self.files(shard)["summary.md"])
        #expect(summary.contains("This is shard 2 of 3"))
        #expect(summary.contains("`bench merge`"))
    }
}
