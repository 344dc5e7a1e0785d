import Foundation
import TestSupport

/// A `bench` that runs with a folder of its own.
final class BenchProcess {
    /// The one that was built beside the tests.
    static let executable = Bundle.main.executableURL!
        .deletingLastPathComponent().appending(path: "bench")

    private let process = Process()
    private let folder = TemporaryFolder()

    /// - Parameter currentDirectory: nil for that of the tests.
    /// - Parameter environment: in addition to that of the tests.
    init(
        _ arguments: [String], executable: URL = BenchProcess.executable,
        currentDirectory: URL? = nil, environment: [String: String] = [:]
    ) throws {
        process.executableURL = executable
        process.arguments = arguments
        // Rows made to size: reading the published ones takes each worker of a debug build seconds.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["STACKBENCH_DATASETS": "generated"]) { $1 }
            .merging(environment) { $1 }
        if let currentDirectory { process.currentDirectoryURL = currentDirectory }
        // Files, since a pipe that nobody reads would stop the program when it is full.
        process.standardOutput = try handle("output")
        process.standardError = try handle("errors")
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Waits for the end.
    var exitCode: Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// All of the standard output, after the end.
    var output: String { text("output") }

    /// All of the standard error output, after the end.
    var errors: String { text("errors") }

    private func handle(_ name: String) throws -> FileHandle {
        try Data().write(to: folder.url(name))
        return try FileHandle(forWritingTo: folder.url(name))
    }

    private func text(_ name: String) -> String {
        process.waitUntilExit()
        return (try? String(contentsOf: folder.url(name), encoding: .utf8)) ?? ""
    }
}
