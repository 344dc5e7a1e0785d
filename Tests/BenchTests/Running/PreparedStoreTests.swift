import Foundation
import RunRecords
import TestSupport
import Testing

@Suite struct `Prepared stores` {
    private struct Outcome: Decodable {
        var verification: Verification
        var storeFacts: [String: Int64]?
    }

    private struct Reply: Decodable {
        var outcome: [String: Outcome]
    }

    private let folder = TemporaryFolder()

    /// Lets a worker run a job of the engine workload in a folder with that name.
    private func run(
        _ name: String, row: String, rows: Int = 100, _ more: [String: Any] = [:]
    ) throws -> Outcome {
        let url = folder.url(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let job: [String: Any] = [
            "kind": "engine", "parameters": ["row": row, "rows": "\(rows)"],
            "subject": "sqlite-c", "synchronous": "normal", "seed": 1,
            "folder": url.absoluteString,
        ].merging(more) { $1 }
        let process = Process()
        let (orders, replies) = (Pipe(), Pipe())
        process.executableURL = BenchProcess.executable
        process.arguments = ["worker"]
        process.standardInput = orders
        process.standardOutput = replies
        try process.run()
        let line = try JSONSerialization.data(withJSONObject: job) + Data("\n".utf8)
        try orders.fileHandleForWriting.write(contentsOf: line)
        let reply = replies.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try #require(JSONDecoder().decode(Reply.self, from: reply).outcome["_0"])
    }

    private func store(_ name: String) -> URL { folder.url("\(name)/flights.sqlite") }

    private func isVerified(_ outcome: Outcome) -> Bool {
        if case .verified = outcome.verification { true } else { false }
    }

    @Test func `a sample works on a copy and leaves the prepared store as it was`() throws {
        let facts = try #require(try run("made", row: "update", ["makesStore": true]).storeFacts)
        let before = try Data(contentsOf: store("made"))

        let prepared: [String: Any] = [
            "preparedStore": store("made").absoluteString, "storeFacts": facts,
        ]
        #expect(isVerified(try run("first", row: "update", prepared)))
        #expect(isVerified(try run("second", row: "update", prepared)))
        #expect(try Data(contentsOf: store("made")) == before)
        #expect(try Data(contentsOf: store("first")) != before)
    }

    /// Working on fewer rows than requested would be wrong.
    @Test(arguments: ["fetch-realise", "fetch-one-integer", "fetch-memory", "read-text", "update"])
    func `a store that does not hold what was told of it fails the sample`(row: String) throws {
        let facts = try #require(try run("whole", row: row, ["makesStore": true]).storeFacts)
        _ = try run("less", row: row, rows: 99, ["makesStore": true])

        let outcome = try run(
            "sample", row: row,
            ["preparedStore": store("less").absoluteString, "storeFacts": facts])
        #expect(!isVerified(outcome))
    }

    @Test func `a store of which nothing was told fails the sample`() throws {
        _ = try run("made", row: "fetch-realise", ["makesStore": true])
        let prepared = ["preparedStore": store("made").absoluteString]
        #expect(!isVerified(try run("sample", row: "fetch-realise", prepared)))
    }

    /// An older bench gives such a job.
    @Test func `a worker that is given no store makes one`() throws {
        #expect(isVerified(try run("sample", row: "fetch-realise")))
    }

    @Test func `a damaged data set is found though its damage is behind what is asked for`() throws
    {
        let tables = try DatasetFolder()
        let cache = folder.url("cache")
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: tables.url, to: cache.appending(path: "nycflights13"))
        let text = """
            schema: 1
            name: part
            kind: paging
            subjects: [sqlite-c]
            dataset: { flights: 2 }
            """
        try Data(text.utf8).write(to: folder.url("part.yml"))
        let bench = try BenchProcess(
            [
                "run", folder.path("part.yml"), "--allow-debug", "--quick", "--output",
                folder.path("run"),
            ], environment: ["STACKBENCH_DATASETS": cache.path])
        #expect(bench.exitCode != 0)
        #expect(bench.errors.contains("are incomplete"), "\(bench.errors)")
    }
}
