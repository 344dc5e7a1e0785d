import Foundation
import RunRecords
import TestSupport
import Testing

@testable import StackBench

@Suite struct `Extending` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The code blocks after lines such as "[Sources/A.swift](Sources/A.swift):", by path.
    private static func quotedFiles(in document: String) -> [(path: String, code: String)] {
        let block = /\[[^\]\n]+\]\(([^)\n]+)\):\n\n```\w*\n(.*?)```\n/.dotMatchesNewlines()
        return document.matches(of: block).map { ("\($0.1)", "\($0.2)") }
    }

    @Test(arguments: [("CONTRIBUTING.md", 4), ("Documentation/OwnArrangement.md", 6)])
    func `the code in a document is that of files that are compiled and run`(
        document: String, count: Int
    ) throws {
        let quoted = Self.quotedFiles(in: try Self.text(document))

        #expect(quoted.count == count)
        for (link, code) in quoted {
            let path = link.replacing("../", with: "")
            #expect(try code == Self.text(path), "\(document) shows another \(path)")
        }
    }

    @Test func `a workload is one file`() throws {
        let folder = TemporaryFolder()
        let results = RunDirectory(url: folder.url.appending(path: "run"))

        let bench = try BenchProcess([
            "run", Self.root.path + "/Tests/BenchTests/Extending/first-page.yml", "--allow-debug",
            "--repetitions", "1", "--output", results.url.path,
        ])

        #expect(bench.exitCode == 0, "\(bench.errors)")
        let cells = try results.load().workloads[0].cells
        #expect(cells.count == 7)
        #expect(cells.allSatisfy { $0.isSound && !$0.samples.isEmpty })
    }

    @Test(arguments: Subject.all.filter { $0.group == .stack }.map(\.name))
    func `a workload with entities of its own measures and verifies every stack`(
        subject: String
    ) throws {
        let folder = TemporaryFolder()
        #expect(WorkloadKind.album.admits(try #require(Subject.named(subject))))
        let job = WorkerJob(
            kind: "album", parameters: ["photos": "250"], subject: subject, lockPolicy: "pooled",
            synchronous: "normal", seed: 1, folder: folder.url)

        let outcome = try WorkloadKind.album.run(WorkerContext(job: job))

        #expect(
            outcome.verification
                == .verified(facts: [
                    "journalMode": "wal", "photos in the album": 250,
                    "their numbers": 31_125,
                ]))
        #expect(outcome.sample.counters["saves"] == 3)
    }

    @Test func `a kind with entities of its own admits stacks and no peers that lack them`() {
        let admitted = Subject.all.filter(WorkloadKind.album.admits)

        #expect(admitted.map(\.group.rawValue).allSatisfy { $0 == "stack" })
        #expect(!admitted.isEmpty)
    }
}
