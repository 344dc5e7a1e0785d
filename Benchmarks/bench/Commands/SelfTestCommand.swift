import ArgumentParser
import Benchmarking

/// The instrument holds itself to account.
struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Test the instrument itself.",
        discussion: "Exits 70 when a check does not hold: then no verdict can be trusted.",
        subcommands: [StatisticsCommand.self])

    /// Prints what was found, and ends accordingly.
    static func finish(_ report: SelfTestReport) throws {
        print(report)
        guard report.hasPassed else {
            throw ArgumentParser.ExitCode(Benchmarking.ExitCode.internalError.rawValue)
        }
    }
}

extension SelfTestCommand {
    /// The statistics on simulated noise.
    struct StatisticsCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract: "Hold the paired rule against noise that is known, and two rules that fail.")

        @Option(help: "The seed of the simulated noise.")
        var seed: UInt64 = 1

        @Option(help: "Simulated looks behind each rate.")
        var draws = 20_000

        func validate() throws {
            guard (1_000...1_000_000).contains(draws) else {
                throw ValidationError("--draws must be from 1000 to 1000000")
            }
        }

        func run() throws {
            try SelfTestCommand.finish(StatisticsSelfTest(seed: seed, drawCount: draws).report())
        }
    }
}
