import Foundation
import TestSupport

/// A `bench` process with a folder of its own.
final class BenchProcess {
    /// The executable that was built beside the tests.
    static let executable = Bundle.main.executableURL!
        .deletingLastPathComponent().appending(path: "bench")

    private let process = Process()
    private let folder = TemporaryFolder()

    /// - Parameter currentDirectory: `nil` for the tests' own.
    /// - Parameter environment: added to the tests' own.
    init(
        _ arguments: [String], executable: URL = BenchProcess.executable,
        currentDirectory: URL? = nil, environment: [String: String] = [:]
    ) throws {
        process.executableURL = executable
        process.arguments = arguments
        // Generated rows: reading the published ones takes each worker of a debug build seconds.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["STACKBENCH_DATASETS": "generated"]) { $1 }
            // What tests run does not belong on the page of a workflow's step.
            .merging(["GITHUB_STEP_SUMMARY": ""]) { $1 }
            .merging(environment) { $1 }
        if let currentDirectory { process.currentDirectoryURL = currentDirectory }
        // Files, because a full pipe without a reader would block the program.
        process.standardOutput = try handle("output")
        process.standardError = try handle("errors")
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    var processIdentifier: Int32 { process.processIdentifier }

    /// Waits until the process ends.
    var exitCode: Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The whole standard output, after the end.
    var output: String { text("output") }

    /// The whole standard error, after the end.
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
