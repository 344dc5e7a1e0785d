import ArgumentParser
import Benchmarking
import Foundation

/// The instrument holds itself to account.
struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Test the instrument itself.",
        discussion: "Exits 70 when a check does not hold: then no verdict can be trusted.",
        subcommands: [
            StatisticsCommand.self, IdenticalCodeCommand.self, InjectionCommand.self,
        ])

    /// Prints what was found, and ends accordingly.
    static func finish(_ reports: SelfTestReport...) throws {
        print(reports.map(\.description).joined(separator: "\n\n"))
        guard reports.allSatisfy(\.hasPassed) else {
            throw ArgumentParser.ExitCode(Benchmarking.ExitCode.internalError.rawValue)
        }
    }
}

extension SelfTestCommand {
    /// The statistics on simulated noise.
    struct StatisticsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract:
                "Hold verdicts and the gate's rule against noise that is known, and rules that fail."
        )

        @Option(help: "The seed of the simulated noise.")
        var seed: UInt64 = 1

        @Option(help: "Simulated looks behind each rate of the gate.")
        var draws = 20_000

        @Option(help: "Simulated reports behind each rate of verdicts.")
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

    @Option(help: "No gate is begun after so long; what was measured until then is told.")
    var budget = Budget(argument: "3h")!

    @Option(help: "Milliseconds of a turn, 0.5 to 100: shorter ones are done sooner, and noisier.")
    var turn = 7.0

    @OptionGroup var pairing: PairingOptions

    func validate() throws {
        guard (0.5...100).contains(turn) else {
            throw ValidationError("--turn must be from 0.5 to 100 milliseconds")
        }
    }

    /// Runs a self test in a folder that is gone afterwards, prints what it found, and ends
    /// accordingly.
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
                    note: PairingOptions.note)))
    }
}

extension SelfTestCommand {
    /// A/A.
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

    /// A known slowdown.
    struct InjectionCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "inject",
            abstract: "Make one arm slower by a known share: is it found, and never called ok?")

        @OptionGroup var options: SelfTestOptions

        @Option(help: "The share in percent.")
        var slowdown = 5.0

        @Option(help: "Runs; the arm that is slower takes turns.")
        var runs = 20

        func run() throws {
            try options.run { try $0.slowdown(share: slowdown / 100, runCount: runs) }
        }
    }
}
