import Foundation
import Measuring

/// This program of another revision, built for release in a git worktree.
///
/// Source and build are kept in `.build/base` of the package, so that the next gate rebuilds only
/// what changed. Source: measuring §7, step 1: same toolchain, same flags, same machine, same
/// hour.
struct BaseBuild {
    let executable: URL
    /// The package of the revision.
    let source: URL
    /// The full hash of the commit.
    let commit: String

    /// No other process may build there until this one ends, since it would replace the program.
    ///
    /// - Throws: ``BenchFailure`` with `noBaseline` if the revision does not exist or cannot be
    ///   built, or if another process uses the folder.
    init(of revision: String, package: URL, note: (String) -> Void) throws {
        let commit = try Self.commit(of: revision, in: package)
        let folder = package.appendingPathComponent(".build/base")
        try Self.lock(folder)
        let checkout = folder.appendingPathComponent("source")
        // A worktree has the whole repository, of which the package may be a part.
        let place = try Self.run(["git", "rev-parse", "--show-prefix"], in: package).output
        source = checkout.appendingPathComponent(
            place.trimmingCharacters(in: .whitespacesAndNewlines))
        let scratch = folder.appendingPathComponent("build")
        note("building \(revision) (\(commit.prefix(10))) for release")
        try Self.checkOut(commit, at: checkout, of: package)
        let build = try Self.run(
            [
                "swift", "build", "-c", "release", "--product", Executable.name, "--package-path",
                source.path, "--scratch-path", scratch.path,
            ], in: package)
        guard build.status == 0 else {
            let lines = build.output.split(separator: "\n").suffix(10).joined(separator: "\n")
            throw Self.failure("\(revision) cannot be built:\n\(lines)")
        }
        self.commit = commit
        executable = scratch.appendingPathComponent("release/\(Executable.name)")
            .resolvingSymlinksInPath()
    }

    private static func lock(_ folder: URL) throws {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FolderLock.take(folder)
        } catch let held as FolderLock.Held {
            throw failure("\(folder.path) is in use by \(held); wait for it")
        } catch {
            throw failure("\(folder.path) cannot be used: \(error)")
        }
    }

    /// The commit of a revision.
    ///
    /// - Throws: ``BenchFailure`` with `noBaseline`.
    static func commit(of revision: String, in package: URL) throws -> String {
        let found = try run(
            ["git", "rev-parse", "--verify", "--quiet", "\(revision)^{commit}"], in: package)
        guard found.status == 0 else {
            throw failure(
                "\(revision) is not a revision of \(package.path); fetch it, or name another")
        }
        return found.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Reuses the worktree if git knows it. A worktree from a cache is unknown to a new clone and
    /// is made again.
    private static func checkOut(_ commit: String, at source: URL, of package: URL) throws {
        let options = ["--quiet", "--force", "--detach"]
        // Without its own `.git`, git would check out the surrounding package.
        if FileManager.default.fileExists(atPath: source.path + "/.git") {
            let checkout = ["git", "-C", source.path, "checkout"] + options + [commit]
            if try run(checkout, in: package).status == 0 { return }
        }
        try? FileManager.default.removeItem(at: source)
        let addition = try run(
            ["git", "worktree", "add"] + options + [source.path, commit], in: package)
        guard addition.status == 0 else {
            throw failure("\(commit) cannot be checked out: \(addition.output)")
        }
    }

    static func run(
        _ arguments: [String], in folder: URL
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        do {
            try process.run()
        } catch {
            throw failure("\(arguments[0]) cannot be started: \(error)")
        }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private static func failure(_ reason: String) -> BenchFailure {
        BenchFailure(exitCode: .noBaseline, message: reason)
    }
}
