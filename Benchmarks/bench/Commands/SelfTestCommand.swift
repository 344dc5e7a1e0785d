import ArgumentParser
import Benchmarking
import Foundation

/// Tests the instrument itself.
struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Test the instrument itself.",
        discussion: "Exits 70 when a check fails: then no verdict can be trusted.",
        subcommands: [
            StatisticsCommand.self, IdenticalCodeCommand.self, InjectionCommand.self,
        ])

    /// Prints the reports and throws the exit code when a check failed.
    static func finish(_ reports: SelfTestReport...) throws {
        print(reports.map(\.description).joined(separator: "\n\n"))
        guard reports.allSatisfy(\.hasPassed) else {
            throw ArgumentParser.ExitCode(Benchmarking.ExitCode.internalError.rawValue)
        }
    }
}

extension SelfTestCommand {
    /// Tests the statistics on simulated noise.
    struct StatisticsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract:
                "Test verdicts and the gate's rule on simulated noise, beside rules known to fail."
        )

        @Option(help: "The seed of the simulated noise.")
        var seed: UInt64 = 1

        @Option(help: "Simulated comparisons for each rate of the gate.")
        var draws = 20_000

        @Option(help: "Simulated reports for each rate of verdicts.")
        var reports = 1_000

        func validate() throws {
            guard (1_000...1_000_000).contains(draws) else {
                throw ValidationError("--draws must be from 1000 to 1000000")
            }
            guard (300...1_000_000).contains(reports) else {
                throw ValidationError("--reports must be from 300 to 1000000")
            }
        }

        func run() throws {
            try SelfTestCommand.finish(
                StatisticsSelfTest(seed: seed, drawCount: draws).report(),
                VerdictSelfTest(seed: seed, reportCount: reports).report())
        }
    }
}

/// Which cells a self test with workers measures, and how.
struct SelfTestOptions: ParsableArguments {
    @Argument(
        help: "Workload files (default: Benchmarks/Workloads/gate.yml).",
        completion: .file(extensions: ["yml"]))
    var files: [String] = []

    @Option(help: "Only workloads of this name or kind; can be repeated.")
    var workload: [String] = []

    @Option(help: "The time after which no further gate starts; earlier ones are reported.")
    var budget = Budget(argument: "3h")!

    @Option(help: "Milliseconds of a turn, 0.5 to 100: shorter turns are faster, but noisier.")
    var turn = 7.0

    @OptionGroup var pairing: PairingOptions

    func validate() throws {
        guard (0.5...100).contains(turn) else {
            throw ValidationError("--turn must be from 0.5 to 100 milliseconds")
        }
    }

    /// Runs a self test in a temporary folder, prints its report and ends as
    /// ``SelfTestCommand/finish(_:)`` does.
    func run(_ test: (GateSelfTest) throws -> SelfTestReport) throws {
        var selection = try Selection(files: files.isEmpty ? [WorkloadFiles.gate()] : files)
        try selection.keep(workloads: workload)
        try pairing.requireRelease(forTimes: true)
        Interruption.install()
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("bench-selftest-\(UUID().uuidString)")
        let preparation = try Preparation(folder: folder, timeout: .seconds(pairing.timeout))
        defer { preparation.remove() }
        var plan = pairing.plan(selection.workloads)
        plan.turnSeconds = turn / 1_000
        try SelfTestCommand.finish(
            test(
                GateSelfTest(
                    plan: plan, preparation: preparation, budget: budget.duration,
                    note: StandardError.print)))
    }
}

extension SelfTestCommand {
    /// A/A: compares this program with itself.
    struct IdenticalCodeCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "aa", abstract: "Compare this program with itself: how often is it slower?"
        )

        @OptionGroup var options: SelfTestOptions

        @Option(help: "Rows to compare; of 300 at most 3 may be called slower at the first look.")
        var rows = 300

        func run() throws {
            try options.run { try $0.identicalCode(rowCount: rows) }
        }
    }

    /// Slows one arm down by a known share.
    struct InjectionCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inject",
            abstract: "Slow one arm down by a known share: is it found, and never called ok?")

        @OptionGroup var options: SelfTestOptions

        @Option(help: "The share in percent.")
        var slowdown = 5.0

        @Option(help: "Runs; head and base are slowed down in alternation.")
        var runs = 20

        func run() throws {
            try options.run { try $0.slowdown(share: slowdown / 100, runCount: runs) }
        }
    }
}
