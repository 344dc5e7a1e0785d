import Foundation
import Reports
import RunRecords
import TestSupport
import Testing
import Yams

@Suite(.serialized) struct `bench run --shard and bench merge` {
    private let folder = TemporaryFolder()
    private static let text = """
        schema: 1
        name: questions
        kind: predicates
        subjects: [single, sqlite-c]
        repetitions: 2
        dataset: { flights: 200 }
        parameters: { question: [equal, like, begins-with-cd] }
        reference: sqlite-c
        questions:
          - id: time
            question: Is the engine as fast as C?
            compare: subject
            against: sqlite-c
            metric: time
            sameWithin: 10%
        thresholds:
          - { metric: statements, atMost: 1000 }
        """

    private func results(_ name: String) -> RunDirectory { RunDirectory(url: folder.url(name)) }

    private func run(_ name: String, _ options: [String]) throws -> BenchProcess {
        try Data(Self.text.utf8).write(to: folder.url("workload.yml"))
        return try BenchProcess(
            ["run", folder.path("workload.yml"), "--allow-debug", "--output", folder.path(name)]
                + options)
    }

    private func measure(_ shards: [String], seed: String = "7") throws {
        for shard in shards {
            let bench = try run(
                "shard-\(shard.prefix(1))", ["--seed", seed, "--shard", shard])
            #expect(bench.exitCode == 0, "\(bench.errors)")
        }
    }

    private func merge(_ names: [String]) throws -> BenchProcess {
        try BenchProcess(
            ["merge", "--output", folder.path("merged")] + names.map(folder.path))
    }

    @Test func `whole runs give one table of verdicts, also without their records`() throws {
        for name in ["monday", "tuesday"] { #expect(try run(name, []).exitCode == 0) }
        // A kept run has its verdicts only.
        try FileManager.default.removeItem(at: results("monday").runURL)
        try FileManager.default.removeItem(at: results("monday").journal.url)
        let bench = try merge(["monday", "tuesday"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(
            bench.output.hasPrefix("0 of 3 comparisons are decided alike in monday and tuesday"),
            "\(bench.output)")
        let summary = try String(contentsOf: results("merged").summaryURL, encoding: .utf8)
        #expect(
            summary.contains("\n- single, pooled against sqlite-c with question equal: undecided"))
        let alone = try merge(["tuesday"])
        #expect(alone.exitCode == 64)
        #expect(alone.errors.contains("is not a shard of a run"), "\(alone.errors)")
    }

    @Test func `three shards measure what the whole run does`() throws {
        #expect(try run("whole", ["--seed", "7"]).exitCode == 0)
        try measure(["1/3", "2/3", "3/3"])
        let bench = try merge(["shard-3", "shard-1", "shard-2"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("comparisons"))

        let (whole, merged) = (try results("whole").load(), try results("merged").load())
        #expect(merged.workloads.map(\.name) == whole.workloads.map(\.name))
        let (cells, others) = (merged.workloads[0].cells, whole.workloads[0].cells)
        #expect(cells.map(\.identifier) == others.map(\.identifier))
        #expect(cells.map(\.samples.count) == others.map(\.samples.count))
        #expect(cells.map(\.verification) == others.map(\.verification))
        for (cell, other) in zip(cells, others) {
            #expect(cell.values(of: "statements") == other.values(of: "statements"))
        }
        #expect(merged.workloads[0].questions == whole.workloads[0].questions)
        #expect(Set(cells.compactMap(\.shard)) == [1, 2, 3])
        #expect(merged.dataset == whole.dataset)
        #expect(merged.name == "merged")

        let check = try BenchProcess(["check", folder.path("merged")])
        #expect(check.exitCode == 0, "\(check.errors)")
        #expect(check.output.contains("6 held"))
        let report = try BenchProcess(["report", folder.path("merged")])
        #expect(report.exitCode == 0, "\(report.errors)")
        for name in ["report.html", "summary.md", "figures.csv", "verdict.json", "junit.xml"] {
            #expect(
                FileManager.default.fileExists(atPath: folder.path("merged/\(name)")), "\(name)")
        }
    }

    @Test func `a shard goes on as a run does, and is no run to check`() throws {
        try measure(["1/3"])
        let resumed = try BenchProcess([
            "run", "--resume", folder.path("shard-1"), "--allow-debug",
        ])
        #expect(resumed.exitCode == 0, "\(resumed.errors)")
        #expect(try results("shard-1").load().shard?.number == 1)

        let check = try BenchProcess(["check", folder.path("shard-1")])
        #expect(check.exitCode == 64)
        #expect(check.errors.contains("bench merge"))
    }

    @Test func `a shard without work says so, and is a shard like the others`() throws {
        let bench = try run("shard-4", ["--seed", "7", "--shard", "4/4"])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("shard 4/4 has no work"))
        #expect(try results("shard-4").load().workloads.isEmpty)

        try measure(["1/4", "2/4", "3/4"])
        #expect(try merge(["shard-1", "shard-2", "shard-3", "shard-4"]).exitCode == 0)
        #expect(try results("merged").load().workloads[0].cells.count == 6)
    }

    @Test func `shards that are no run are refused, and nothing is written`() throws {
        try measure(["1/2"])
        try measure(["2/2"], seed: "8")
        let cases = [
            (["shard-1"], "2 is missing"), (["shard-1", "shard-1"], "are both shard 1"),
            (["shard-1", "shard-2"], "have different seeds"), (["none"], "there is no"),
        ]
        for (names, message) in cases {
            let bench = try merge(names)
            #expect(bench.exitCode == 64)
            #expect(bench.errors.contains(message), "\(bench.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("merged")))
    }

    @Test(arguments: [
        ["--shard", "1/3"], ["--shard", "0/3", "--seed", "1"], ["--shard", "4/3", "--seed", "1"],
        ["--shard", "3", "--seed", "1"], ["--shard", "1/", "--seed", "1"],
        ["--shard", "1/100000", "--seed", "1"], ["--shard", "1/2", "--resume", "run"],
    ])
    func `a shard that cannot be is refused`(options: [String]) throws {
        #expect(try run("none", options).exitCode == 64)
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    }
}

@Suite struct `bench plan --shards` {
    /// A line of the plan: a cell of a workload and its shard.
    private struct Line {
        let shard: String
        let workload: String
        let subject: String
        let lockPolicy: String?
        let parameters: [String: String]

        init?(_ line: Substring, count: Int) {
            let fields = line.split(separator: " ")
            guard fields.count == 3, fields[0].hasSuffix("/\(count)") else { return nil }
            shard = String(fields[0])
            workload = String(fields[1])
            var parts = fields[2].split(separator: "/")
            subject = String(parts.removeFirst())
            let last = parts.last?.contains("=") == true ? parts.removeLast() : ""
            lockPolicy = parts.first.map { String($0) }
            parameters = last.split(separator: ",").reduce(into: [:]) {
                let pair = $1.split(separator: "=", maxSplits: 1)
                $0[String(pair[0])] = String(pair[1])
            }
        }

        /// Whether a question's `where` includes the cell. A parameter with one value is not in it.
        func matches(_ filter: [String: Any]) -> Bool {
            filter.allSatisfy { key, value in
                switch key {
                case "subject": Glob("\(value)").matches(subject)
                case "lockPolicy": "\(value)" == lockPolicy
                default: parameters[key].map { $0 == "\(value)" } ?? true
                }
            }
        }

        func values(except axis: String) -> [String] {
            let others = parameters.filter { $0.key != axis }.map { "\($0.key)=\($0.value)" }
            return [
                axis == "subject" ? "" : subject, axis == "lockPolicy" ? "" : lockPolicy ?? "",
            ] + others.sorted()
        }

        /// The workload and the parameters.
        var place: [String] { [workload] + parameters.map { "\($0.key)=\($0.value)" }.sorted() }
    }

    @Test(arguments: [1, 2, 3, 7])
    func `no comparison of a workload file is divided`(count: Int) throws {
        let folder = TemporaryFolder()
        let files = try FileManager.default.contentsOfDirectory(atPath: "Benchmarks/Workloads")
        for file in files.map({ "Benchmarks/Workloads/\($0)" }) where file.hasSuffix(".yml") {
            let bench = try BenchProcess([
                "plan", file, "--results", folder.url.path, "--shards", "\(count)",
            ])
            // A build without the trait has no servers to divide.
            if bench.errors.contains("the trait PostgreSQL") { continue }
            #expect(bench.exitCode == 0, "\(bench.errors)")
            let lines = bench.output.split(separator: "\n").compactMap { Line($0, count: count) }
            let cells = try #require(bench.output.firstMatch(of: /(\d+) cells, \d+ processes/))
            #expect(Int(cells.output.1) == lines.count, "\(file)")
            func expectOneShard(_ lines: [Line], _ what: String) {
                #expect(Set(lines.map(\.shard)).count <= 1, "\(file): \(what)")
            }
            for (place, cells) in Dictionary(grouping: lines, by: \.place) {
                expectOneShard(cells, "\(place)")
            }
            let text = try String(contentsOfFile: file, encoding: .utf8)
            for document in try Yams.load_all(yaml: text) {
                guard let workload = document as? [String: Any], let name = workload["name"],
                    let questions = workload["questions"] as? [[String: Any]]
                else { continue }
                let own = lines.filter { $0.workload == "\(name)" }
                #expect(!own.isEmpty)
                for question in questions {
                    let axis = try #require(question["compare"] as? String)
                    let filter = question["where"] as? [String: Any] ?? [:]
                    let groups = Dictionary(
                        grouping: own.filter { $0.matches(filter) },
                        by: { $0.values(except: axis) })
                    for cells in groups.values { expectOneShard(cells, "\(name): \(axis)") }
                }
            }
        }
    }
}
