import Foundation
import RunRecords

/// The protocol between a parent and its workers. A base from another revision must use the same
/// one.
enum WorkerProtocol {
    /// Raise this with each change of ``WorkerJob``, ``TurnOrder`` or ``WorkerReply`` that workers
    /// of the previous version do not understand.
    static let version = 2

    private struct Listing: Decodable {
        var workerProtocol: Int?
        /// Nil for bases that do not report it.
        var build: BuildConfiguration?
    }

    /// Asks a program for its protocol and its build.
    ///
    /// - Parameter package: the package that the program was built from. The program lists the
    ///   workload files there, since ours may use kinds that it does not have. Nil for the package
    ///   of the current folder.
    /// - Throws: ``BenchFailure`` with `noBaseline` if the protocol or the build configuration
    ///   differs. Optimised code is faster whatever has changed.
    static func require(of executable: URL, from package: URL?) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = ["list", "--format", "json"]
        if let package { process.currentDirectoryURL = package }
        let pipe = Pipe()
        process.standardOutput = pipe
        do {
            try process.run()
        } catch {
            throw failure(executable, "cannot be started")
        }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard let found = try? JSONDecoder().decode(Listing.self, from: output) else {
            throw failure(executable, "is not a build of bench")
        }
        guard found.workerProtocol == version else {
            throw failure(
                executable,
                "is too old or too new: its workers use another protocol than this bench")
        }
        if let build = found.build, build != .ofBench {
            throw failure(
                executable,
                "is a \(build) build, but this is a \(BuildConfiguration.ofBench) build; "
                    + "build both alike")
        }
    }

    private static func failure(_ executable: URL, _ reason: String) -> BenchFailure {
        BenchFailure(
            exitCode: .noBaseline, message: "the base \(executable.path) \(reason)")
    }
}
