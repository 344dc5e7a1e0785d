import Foundation
import TestSupport
import Testing

/// The head is a package with a workload file that is newer than its commit. The commit is the base
/// and does not understand the file. A script replaces `swift build`: it builds the bench beside
/// the tests.
@Suite struct `The base of bench gate` {
    private let folder = TemporaryFolder()
    private var package: URL { folder.url("package") }

    private static let known = """
        schema: 1
        name: small
        kind: engine
        subjects: [object-graph]
        repetitions: 1
        parameters: { row: update, rows: 50 }
        """

    init() throws {
        try folder.write(
            """
            #!/bin/sh
            # swift build -c release --product bench --package-path SOURCE --scratch-path BUILD
            [ "$1" = build ] || exit 1
            mkdir -p "$9/release"
            ln -sf '\(BenchProcess.executable.path)' "$9/release/bench"
            """, to: "tools/swift", isExecutable: true)
        try writePackage("package")
        try git("init", "--quiet")
        try git("add", ".")
        try git("commit", "--quiet", "--message", "The base")
        try folder.write("kind: from-tomorrow", to: "package/Benchmarks/Workloads/new.yml")
    }

    private func writePackage(_ path: String) throws {
        try folder.write("// Never built.", to: "\(path)/Package.swift")
        try folder.write(Self.known, to: "\(path)/Benchmarks/Workloads/known.yml")
    }

    /// - Parameter date: of a commit; now if empty.
    private func git(_ arguments: String..., at date: String = "") throws {
        let author = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
        let git = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: (date.isEmpty ? [] : ["GIT_COMMITTER_DATE=\(date)"])
                + ["git", "-C", package.path] + author + arguments)
        git.waitUntilExit()
        #expect(git.terminationStatus == 0, "git \(arguments)")
    }

    private func gate(_ base: [String]) throws -> BenchProcess {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return try BenchProcess(
            [
                "gate", "Benchmarks/Workloads/known.yml", "--quick", "--allow-debug", "--output",
                folder.path("gate-\(UUID().uuidString)"),
            ] + base, currentDirectory: package,
            environment: ["PATH": "\(folder.path("tools")):\(path)"])
    }

    @Test func `a revision that does not know a workload of the head is compared`() throws {
        let bench = try gate(["--base-ref", "HEAD"])

        #expect(bench.exitCode == 0, "\(bench.errors)")
        #expect(bench.output.contains("0 regressed"))
    }

    /// The commit was made after the build.
    @Test func `a run says of which checkout the commit is, and that the build is older`() throws {
        let summary = try self.summary(of: "older")
        #expect(summary.contains("Commit of the checkout"), "\(summary)")
        #expect(summary.contains("`; `bench` was built before it"), "\(summary)")

        try git("commit", "--quiet", "--amend", "--no-edit", at: "2001-01-01T00:00:00Z")
        let other = try self.summary(of: "newer")
        #expect(other.contains("Commit of the checkout"))
        #expect(!other.contains("was built before it"), "\(other)")
    }

    private func summary(of name: String) throws -> String {
        let bench = try BenchProcess(
            [
                "run", "Benchmarks/Workloads/known.yml", "--quick", "--no-counts", "--allow-debug",
                "--output", folder.path(name),
            ], currentDirectory: package)
        #expect(bench.exitCode == 0, "\(bench.errors)")
        return try String(contentsOf: folder.url("\(name)/summary.md"), encoding: .utf8)
    }

    @Test func `a program that does not know a workload of the head is compared`() throws {
        try writePackage("old")
        try folder.write(
            """
            #!/bin/sh
            exec '\(BenchProcess.executable.path)' "$@"
            """, to: "old/.build/bench", isExecutable: true)

        let bench = try gate(["--base-bin", folder.path("old/.build/bench")])

        #expect(bench.exitCode == 0, "\(bench.errors)")
    }

    @Test func `a worktree that a cache brought into a new clone is made anew`() throws {
        let first = try gate(["--base-ref", "HEAD"])
        #expect(first.exitCode == 0, "\(first.errors)")
        try FileManager.default.removeItem(at: package.appending(path: ".git/worktrees"))

        let again = try gate(["--base-ref", "HEAD"])

        #expect(again.exitCode == 0, "\(again.errors)")
    }
}
