import Foundation
import RunRecords
import TestSupport
import Testing

@Suite struct `A gate of two commands (measuring §7)` {
    private func gate(
        _ base: String, _ head: String, _ options: String...
    ) throws -> BenchProcess {
        let folder = TemporaryFolder()
        let arguments = [
            "gate", "--base", base, "--head", head, "--pairs", "10", "--budget", "1s",
            "--seed", "1", "--output", folder.url.appending(path: "gate").path,
        ]
        let bench = try BenchProcess(arguments + options)
        withExtendedLifetime(folder) { _ = bench.exitCode }
        return bench
    }

    @Test func `regresses if the head takes ten times as long`() throws {
        let bench = try gate("sleep 0.01", "sleep 0.1")

        #expect(bench.exitCode == ExitCode.regression.rawValue, "\(bench.errors)")
        #expect(bench.output.contains("sleep 0.1"))
    }

    @Test func `succeeds if it takes a tenth`() throws {
        let bench = try gate("sleep 0.1", "sleep 0.01")

        #expect(bench.exitCode == ExitCode.success.rawValue, "\(bench.errors)")
    }

    @Test(arguments: [("exit 3", "true", "--base"), ("true", "exit 3", "--head")])
    func `says which command has failed`(base: String, head: String, option: String) throws {
        let bench = try gate(base, head)

        #expect(bench.exitCode == ExitCode.crash.rawValue)
        #expect((bench.output + bench.errors).contains("\(option) ended with exit code 3"))
    }

    @Test func `kills a command that takes too long, with what it started`() throws {
        let bench = try gate("true", "sleep 600 & wait", "--timeout", "1")

        #expect(bench.exitCode == ExitCode.crash.rawValue)
        #expect(bench.output.contains("--head took longer than --timeout allows"))
    }

    @Test func `lets a command end when nobody reads what it writes`() throws {
        let bench = try gate("yes | head -1", "yes | head -1", "--timeout", "20")

        #expect([0, 12].contains(bench.exitCode), "\(bench.errors)")
    }

    @Test func `ends with the command that an interruption kills`() throws {
        let folder = TemporaryFolder()
        let bench = try BenchProcess([
            "gate", "--base", "sleep 600", "--head", "true",
            "--output", folder.url.appending(path: "gate").path,
        ])
        // The first run has begun once the journal exists.
        let journal = folder.url.appending(path: "gate/journal.jsonl").path
        while bench.isRunning, !FileManager.default.fileExists(atPath: journal) {
            Thread.sleep(forTimeInterval: 0.01)
        }
        kill(bench.processIdentifier, SIGINT)

        #expect(bench.exitCode == ExitCode.interrupted.rawValue)
    }

    @Test(arguments: [
        ["--base", "true"], ["--head", "true"],
        ["--base", "true", "--head", "true", "--base-ref", "main"],
        ["--base", "true", "--head", "true", "--quick"],
        ["--base", "true", "--head", "true", "--stack", "shared"],
        ["--base", "true", "--head", "true", "Benchmarks/Workloads/gate.yml"],
    ])
    func `refuses one command alone, and what only builds of bench have`(
        arguments: [String]
    ) throws {
        let bench = try BenchProcess(["gate"] + arguments)

        #expect(bench.exitCode == ExitCode.usage.rawValue)
    }
}
