import ArgumentParser
import Reports
import RunRecords

/// Checks a run against thresholds.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a run against thresholds.",
        discussion: "Prints a line for each rule and cell. Exits 11 if a threshold is crossed.")

    @Argument(
        help: ArgumentHelp("The folder of a run, or its run.json.", valueName: "run"),
        completion: .directory)
    var runPath: String

    @Option(
        help: "The threshold file (default: the rules in the run's own workload files).",
        completion: .file(extensions: ["yml"]))
    var thresholds: String?

    @Option(help: "A JUnit file to write, with a test case for each rule and cell.")
    var junit: String?

    @OptionGroup var annotations: Annotations

    func run() throws {
        let file = try thresholds.map(ThresholdFile.init)
        let run = try RunDirectory(argument: runPath).load()
        if let shard = run.shard {
            throw BenchFailure(
                exitCode: .usage,
                message: "\(runPath) is shard \(shard); join all shards with bench merge and check "
                    + "the merged run")
        }
        guard file != nil || !run.thresholds.isEmpty else {
            throw BenchFailure(
                exitCode: .usage,
                message: "the workload files of \(runPath) had no thresholds; "
                    + "name a file with --thresholds")
        }
        let report =
            try file?.evaluate(run) ?? ThresholdCheck.evaluateRules(of: run)
        print(report)
        let judgements = Judgements(of: report, name: run.name)
        annotations.print(judgements)
        StepSummary.append(PullRequestComment(report, name: run.name))
        if let junit {
            do {
                try judgements.junit.write(toFile: junit, atomically: true, encoding: .utf8)
            } catch {
                throw BenchFailure(exitCode: .usage, message: "cannot write \(junit): \(error)")
            }
        }
        throw ArgumentParser.ExitCode(report.exitCode.rawValue)
    }
}
