import Benchmarking
import Foundation

/// How a parent and its workers talk. A base that was built from another revision must talk alike.
enum WorkerProtocol {
    /// To be raised with every change of ``WorkerJob``, ``TurnOrder`` or ``WorkerReply`` that a worker
    /// of the version before does not understand.
    static let version = 2

    private struct Listing: Decodable {
        var workerProtocol: Int?
        /// Of bases that tell it.
        var build: BuildConfiguration?
    }

    /// Asks a program what it speaks.
    ///
    /// - Parameter package: the one that it was built from, whose workload files it lists with its
    ///   answer: ours may hold what it does not know yet. Nil for that of the current folder.
    /// - Throws: ``CommandFailure`` with `noBaseline` when it does not speak as this one does, or was
    ///   built otherwise: optimised code is faster whatever changed.
    static func require(of executable: URL, from package: URL?) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = ["list", "--format", "json"]
        if let package { process.currentDirectoryURL = package }
        let pipe = Foundation.Pipe()
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            throw failure(executable, "cannot be started")
        }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard let found = try? JSONDecoder().decode(Listing.self, from: output) else {
            throw failure(executable, "is no bench")
        }
        guard found.workerProtocol == version else {
            throw failure(
                executable,
                "is too old or too new: its workers do not understand what this bench says")
        }
        if let build = found.build, build != .ofBench {
            throw failure(
                executable,
                "is a \(build) build and this one a \(BuildConfiguration.ofBench) build; "
                    + "build both alike")
        }
    }

    private static func failure(_ executable: URL, _ reason: String) -> CommandFailure {
        CommandFailure(
            exitCode: .noBaseline, message: "the base \(executable.path) \(reason)")
    }
}
