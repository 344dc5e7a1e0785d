#if PostgreSQL
import Foundation
import ObjectGraph
import Synchronization

/// A writing process, and those before it that were killed.
final class RunningWriter: @unchecked Sendable {
    // @unchecked Sendable: one thread uses it.

    private let writer: Int
    private let server: CampaignServer
    private var process = Process()
    private var input = Pipe()
    private var output = LineReader()

    /// The last save that was acknowledged.
    private var acknowledged: Int64 = 0

    /// The durations of the saves that were acknowledged.
    private(set) var milliseconds: [Int] = []

    init(_ writer: Int, _ server: CampaignServer) throws {
        self.writer = writer
        self.server = server
        try begin()
    }

    private var sessionName: String { "writer \(writer)" }

    private func begin() throws {
        (process, input, output) = (Process(), Pipe(), LineReader())
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["write", "\(writer)", server.url.absoluteString]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["PGAPPNAME": sessionName]) { $1 }
        process.standardInput = input
        process.standardOutput = output.pipe
        try process.run()
        output.start()
    }

    /// Kills the process, and starts another one that goes on.
    func killAndBegin() throws {
        kill(process.processIdentifier, SIGKILL)
        try noteAcknowledgements()
        process.waitUntilExit()
        try server.waitForEnd(ofSessionsNamed: sessionName)
        try begin()
    }

    /// Lets the process end by itself.
    func stop() throws {
        try input.fileHandleForWriting.close()
        try noteAcknowledgements()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CampaignFailure("writer \(writer) failed; its error is above")
        }
    }

    /// - Throws: `CampaignFailure` if a process has found fewer saves than were acknowledged.
    private func noteAcknowledgements() throws {
        for line in output.lines() {
            let numbers = line.split(separator: " ").compactMap { Int64($0) }
            guard numbers.count == 2 else {
                throw CampaignFailure("writer \(writer) has acknowledged '\(line)'")
            }
            let number = numbers[0]
            milliseconds.append(Int(numbers[1]))
            guard number >= acknowledged else {
                throw CampaignFailure(
                    "writer \(writer): save \(acknowledged) was acknowledged, but \(number) is the last"
                )
            }
            acknowledged = number
        }
    }

    /// Compares the store with what was acknowledged.
    ///
    /// - Returns: The number of the writer's saves in the store.
    func check(in context: ManagedObjectContext) throws -> Int {
        let entries = try Ledger.entries(of: writer, in: context)
        guard entries == (0..<Int64(entries.count)).map({ $0 + 1 }) else {
            throw CampaignFailure("writer \(writer): its entries have gaps or are twice there")
        }
        // A process that is stopped has acknowledged its last save.
        guard Int64(entries.count) == acknowledged else {
            throw CampaignFailure(
                "writer \(writer): \(acknowledged) saves were acknowledged, and \(entries.count) are there"
            )
        }
        return entries.count
    }
}

/// Reads what a process writes, so that it never waits for a reader.
private final class LineReader: Sendable {
    let pipe = Pipe()
    private let text = Mutex(Data())
    private let end = DispatchSemaphore(value: 0)

    func start() {
        try? pipe.fileHandleForWriting.close()
        Thread { [self] in
            while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
                text.withLock { $0 += more }
            }
            end.signal()
        }.start()
    }

    /// The whole lines, once the process has ended. A kill may cut off the last line.
    func lines() -> [Substring] {
        end.wait()
        let all = text.withLock { String(decoding: $0, as: UTF8.self) }
        return all.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }
}
#endif
