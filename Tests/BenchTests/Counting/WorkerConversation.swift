import Foundation
import RunRecords
import TestSupport

/// A `bench worker` process. The test plays its parent in a paired run.
final class WorkerConversation {
    struct Turn: Decodable {
        var operationCount: Int
        var seconds: Double
        var isLast: Bool
        var counts: [String: Int64]?
    }

    private struct Reply: Decodable {
        var ready: Empty?
        var turn: Only<Turn>?
        var outcome: Only<Outcome>?
        var failure: Only<String>?

        struct Empty: Decodable {}
        struct Outcome: Decodable { var verification: Verification }
        struct Only<Value: Decodable>: Decodable {
            var value: Value
            enum CodingKeys: String, CodingKey { case value = "_0" }
        }
    }

    private struct Unexpected: Error { var line: String? }

    private let folder = TemporaryFolder()
    private let process = Process()
    private let orders = Pipe()
    private let replies = Pipe()

    /// Starts a worker on a row of the engine workload that takes turns, and waits until it is
    /// ready.
    init(
        _ subject: String, row: String, rows: Int, isCounting: Bool = true, extra: String? = nil
    ) throws {
        process.executableURL = BenchProcess.executable
        process.arguments = ["worker"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "MALLOC_CONF": "tcache:false", "SWIFT_DETERMINISTIC_HASHING": "1",
        ]) { $1 }
        process.standardInput = orders
        process.standardOutput = replies
        try process.run()
        var job: [String: Any] = [
            "kind": "engine", "parameters": ["row": row, "rows": "\(rows)"], "subject": subject,
            "synchronous": "normal", "seed": 1, "folder": folder.url.absoluteString,
            "takesTurns": true, "isCounting": isCounting,
        ]
        if let extra { job["injections"] = [["extra": ["_0": extra]]] }
        try write(String(decoding: JSONSerialization.data(withJSONObject: job), as: UTF8.self))
        guard try read().ready != nil else { throw Unexpected(line: nil) }
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func turn(_ operationCount: Int = 1) throws -> Turn {
        try write("\(operationCount)")
        let reply = try read()
        guard let turn = reply.turn?.value else { throw Unexpected(line: reply.failure?.value) }
        return turn
    }

    func finish() throws -> Verification {
        try write("finish")
        let reply = try read()
        guard let outcome = reply.outcome?.value else {
            throw Unexpected(line: reply.failure?.value)
        }
        process.waitUntilExit()
        return outcome.verification
    }

    /// The lowest counts of three operations, after a first one that fills caches.
    func counts() throws -> [String: Int64] {
        _ = try turn()
        let counts = try (0..<3).map { _ in try turn().counts ?? [:] }
        return counts.dropFirst().reduce(counts[0]) { $0.merging($1, uniquingKeysWith: min) }
    }

    private func write(_ line: String) throws {
        try orders.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    private func read() throws -> Reply {
        var line = Data()
        while let byte = try replies.fileHandleForReading.read(upToCount: 1),
            byte != Data("\n".utf8)
        {
            line += byte
        }
        do {
            return try JSONDecoder().decode(Reply.self, from: line)
        } catch {
            throw Unexpected(line: String(decoding: line, as: UTF8.self))
        }
    }
}
