import Foundation
import TestSupport
import Testing

@Suite struct `bench trace` {
    private let folder = TemporaryFolder()

    @Test func `refuses to hide names, which its files have`() throws {
        let bench = try BenchProcess(["trace", "--store", folder.path("a.sqlite"), "--redact"])
        #expect(bench.exitCode == 64)
        #expect(bench.errors.contains("a trace has the names of entities and the SQL"))
    }

    @Test func `writes a page, a text and a file for Perfetto of each stack`() throws {
        let workload = """
            schema: 1
            name: live
            title: Import beside a view
            kind: responsiveness
            subjects: [nested, shared]
            dataset: { flights: 300 }
            parameters: { saveSize: 100, heartbeatIntervalMilliseconds: 2, readerIntervalMilliseconds: 20 }
            """
        try Data(workload.utf8).write(to: folder.url("live.yml"))
        let bench = try BenchProcess([
            "trace", folder.path("live.yml"), "--allow-debug", "--output", folder.path("out"),
        ])
        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("**nested** kept the main queue busy"))
        #expect(bench.output.contains("took what a child saved"))
        #expect(bench.output.contains("merged what others saved"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
        #expect(
            Set(names) == [
                "live.html", "live.md", "live-nested-pooled.json", "live-shared-pooled.json",
            ])
        let data = try Data(contentsOf: folder.url("out/live-nested-pooled.json"))
        let file = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let events = try #require(file["traceEvents"] as? [[String: Any]])
        #expect(events.contains { $0["cat"] as? String == "takeFromChild" })
    }
}
