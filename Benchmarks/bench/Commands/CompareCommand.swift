import ArgumentParser
import Benchmarking

/// Compares two runs that were made before.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare two runs that were made before.",
        discussion: """
            Counts are compared exactly, and exit 10 tells that one rose. Times give hints only, for \
            the runs were not made together: to be sure, use bench gate. Exits 15 when the runs \
            cannot be compared.
            """)

    @Argument(
        help: ArgumentHelp("The folder of the earlier run.", valueName: "base"),
        completion: .directory)
    var basePath: String

    @Argument(
        help: ArgumentHelp("The folder of the later run.", valueName: "head"),
        completion: .directory)
    var headPath: String

    @Option(help: "The smallest change of a time that is told, in percent.")
    var minimumEffect = 2.5

    @Option(
        help: "A folder for the comparison's files and report (default: none are written).",
        completion: .directory)
    var output: String?

    @OptionGroup var annotations: Annotations

    func validate() throws {
        guard (0...900).contains(minimumEffect) else {
            throw ValidationError("--minimum-effect must be from 0 to 900 percent")
        }
    }

    func run() throws {
        let base = try RunDirectory(argument: basePath).load()
        let head = try RunDirectory(argument: headPath).load()
        let report = try ComparisonReport(
            comparing: base, with: head, commandLine: CommandLine.arguments,
            minimumEffect: minimumEffect / 100)
        print(report)
        if base.environment.identity != head.environment.identity {
            print("the runs were made on different machines: times are not comparable at all")
        }
        annotations.print(Judgements(of: report))
        if let output {
            let directory = try RunDirectory.createForComparison(output, kind: "compare")
            try directory.write(report)
            try directory.writeReports(of: report)
            print(directory.reportURL.relativePath)
        }
        throw ArgumentParser.ExitCode(report.exitCode.rawValue)
    }
}
