import ArgumentParser
import Benchmarking

/// Holds a run against thresholds.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Hold a run against a file of thresholds.",
        discussion: "Prints a line for each rule and cell, and exits 11 when one is crossed.")

    @Argument(
        help: ArgumentHelp("The folder of a run, or its run.json.", valueName: "run"),
        completion: .directory)
    var runPath: String

    @Option(help: "The threshold file, such as Benchmarks/Thresholds/ci.yml.")
    var thresholds: String

    func run() throws {
        let rules = try ThresholdFile.load(file: thresholds)
        let report = try ThresholdCheck.evaluate(rules, RunDirectory(argument: runPath).load())
        print(report)
        throw ArgumentParser.ExitCode(report.exitCode.rawValue)
    }
}
