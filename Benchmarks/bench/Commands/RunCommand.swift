import ArgumentParser
import Benchmarking
import Foundation

/// Runs workloads and writes a report.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run workloads and write a report.",
        discussion: "A debug build builds itself for release and hands over.")

    @Argument(
        help: "Workload files; without any, all of Benchmarks/Workloads but engine.yml and ci.yml.",
        completion: .file(extensions: ["yml"]))
    var files: [String] = []

    @Option(help: "A stack or peer, instead of those in the files; can be repeated.")
    var stack: [String] = []

    @Option(help: "Only workloads of this name or kind; can be repeated.")
    var workload: [String] = []

    @Option(help: "Samples of each cell, instead of the number in the files.")
    var repetitions: Int?

    @Option(help: "The folder of the run (default: results/<time>).", completion: .directory)
    var output: String?

    @Option(help: "The seed of all random orders (default: a random one, kept in run.json).")
    var seed: UInt64?

    @Option(help: "Seconds after which a sample is taken for hung and killed.")
    var timeout = 600

    @Flag(help: "Run a debug build all the same; its times mean nothing.")
    var allowDebug = false

    func validate() throws {
        if let repetitions, !(1...1_000).contains(repetitions) {
            throw ValidationError("--repetitions must be from 1 to 1000")
        }
        guard timeout > 0 else { throw ValidationError("--timeout must be 1 or more") }
    }

    func run() throws {
        let paths = files.isEmpty ? try WorkloadFiles.defaults() : files
        var selection = try Selection(files: paths)
        try selection.keep(workloads: workload)
        try selection.use(subjects: stack)
        if let repetitions { selection.setRepetitions(repetitions) }
        if Executable.isDebugBuild, !allowDebug { throw ReleaseBuild.handOver() }

        Interruption.install()
        let now = Date()
        let folder = URL(fileURLWithPath: output ?? "results/\(Self.name(at: now))")
        let directory = try RunDirectory.create(
            folder.lastPathComponent, in: folder.deletingLastPathComponent())
        let run = Run(
            name: folder.lastPathComponent, startedAt: now,
            seed: seed ?? .random(in: 0...UInt64(UInt32.max)), commandLine: CommandLine.arguments,
            build: Executable.isDebugBuild ? .debug : .release, environment: .ofBench())
        var runner = Runner(
            selection.workloads, run: run, into: directory, timeout: .seconds(timeout))
        let finished = try runner.execute()
        print(directory.reportURL.relativePath)
        throw ArgumentParser.ExitCode(try exitCode(of: finished, selection).rawValue)
    }

    /// The gravest of what happened and of what the rules in the files say of it; the rules' findings
    /// go to the standard error output.
    private func exitCode(
        of run: Run, _ selection: Selection
    ) throws -> Benchmarking.ExitCode {
        let rules = selection.workloads.flatMap(\.applicableThresholds)
        guard run.exitCode == .success, !rules.isEmpty else { return run.exitCode }
        let report = try ThresholdCheck.evaluate(rules, run)
        FileHandle.standardError.write(Data("\(report)\n".utf8))
        return report.exitCode
    }

    /// A name that sorts by time and is safe in every file system, such as 2026-02-28T17-05-09Z.
    private static func name(at date: Date) -> String {
        date.ISO8601Format().replacingOccurrences(of: ":", with: "-")
    }
}
