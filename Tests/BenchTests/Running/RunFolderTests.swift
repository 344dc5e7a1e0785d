import Foundation
import RunRecords
import TestSupport
import Testing

@Suite struct `The folder of a run` {
    @Test func `belongs to one process at a time, which the other one names`() throws {
        let folder = TemporaryFolder()
        let run = folder.url.appending(path: "run")
        let first = try bench(in: run)
        // Its journal exists once it has begun.
        while first.isRunning,
            !FileManager.default.fileExists(atPath: RunDirectory(url: run).journal.url.path)
        {
            Thread.sleep(forTimeInterval: 0.01)
        }

        // A container may hide the files that other processes have open.
        let open = "/proc/\(first.processIdentifier)/fd"
        let isHidden = ((try? FileManager.default.contentsOfDirectory(atPath: open)) ?? []).isEmpty
        let name = isHidden ? "another process;" : "process \(first.processIdentifier) ("

        let (second, resumed) = (
            try bench(in: run), try BenchProcess(["run", "--resume", run.path, "--allow-debug"])
        )

        for other in [second, resumed] {
            #expect(other.exitCode == ExitCode.usage.rawValue)
            #expect(other.errors.contains("is in use by \(name)"), "\(other.errors)")
        }
        #expect(first.exitCode == 0, "\(first.errors)")
        #expect(try RunDirectory(url: run).load().workloads[0].cells.allSatisfy(\.isSound))
    }

    @Test func `has a name`() throws {
        let bench = try BenchProcess(["run", "--output", "", "--allow-debug"])

        #expect(bench.exitCode == ExitCode.usage.rawValue)
        #expect(bench.errors.contains("--output is empty"))
    }

    @Test(arguments: ["/dev/full", "/dev/null/run", "/proc/run"])
    func `can be written`(path: String) throws {
        let bench = try BenchProcess(["run", "--output", path, "--allow-debug"])

        #expect(bench.exitCode == ExitCode.usage.rawValue, "\(bench.errors)")
        #expect(bench.errors.contains(path))
    }

    private func bench(in folder: URL) throws -> BenchProcess {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Extending/first-page.yml")
        return try BenchProcess([
            "run", file.path, "--stack", "shared", "--allow-debug", "--repetitions", "2",
            "--output", folder.path,
        ])
    }
}
