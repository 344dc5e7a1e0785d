import RunRecords
import TestSupport
import Testing

@Suite struct `A gate of two commands (measuring §7)` {
    private func gate(_ base: String, _ head: String) throws -> BenchProcess {
        let folder = TemporaryFolder()
        let bench = try BenchProcess([
            "gate", "--base", base, "--head", head, "--pairs", "10", "--budget", "1s",
            "--seed", "1", "--output", folder.url.appending(path: "gate").path,
        ])
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

    @Test(arguments: [
        ["--base", "true"], ["--head", "true"],
        ["--base", "true", "--head", "true", "--base-ref", "main"],
        ["--base", "true", "--head", "true", "--quick"],
        ["--base", "true", "--head", "true", "Benchmarks/Workloads/gate.yml"],
    ])
    func `refuses one command alone, and what only builds of bench have`(
        arguments: [String]
    ) throws {
        let bench = try BenchProcess(["gate"] + arguments)

        #expect(bench.exitCode == ExitCode.usage.rawValue)
    }
}
