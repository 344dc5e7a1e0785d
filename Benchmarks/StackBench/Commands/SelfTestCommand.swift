import ArgumentParser
import Foundation
import Measuring
import Reports
import RunRecords

/// Tests the instrument itself.
struct SelfTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Test the instrument itself.",
        discussion: "Exits 70 when a check fails: then no verdict can be trusted.",
        subcommands: [IdenticalCodeCommand.self, InjectionCommand.self])

    /// Prints the reports and throws the exit code when a check failed.
    static func finish(_ report: SelfTestReport) throws {
        print(report)
        guard report.hasPassed else {
            throw ArgumentParser.ExitCode(RunRecords.ExitCode.internalError.rawValue)
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
