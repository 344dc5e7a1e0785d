import ArgumentParser
import Foundation
import Reports
import RunRecords

/// Writes the reports of a run or a comparison again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Write all reports again from run.json or comparison.json.",
        discussion: "The reports of a run that was killed are made from its journal.")

    @Argument(
        help: ArgumentHelp("The folder of a run, or its run.json.", valueName: "run"),
        completion: .directory)
    var runPath: String

    @OptionGroup var annotations: Annotations

    func run() throws {
        let directory = RunDirectory(argument: runPath)
        if directory.holdsComparison {
            let report = try directory.loadComparison()
            try directory.writeReports(of: report)
            annotations.print(Judgements(of: report))
        } else {
            let run = try directory.load()
            try directory.write(run)
            try directory.writeReports(of: run)
            annotations.print(Judgements(of: run))
        }
        print(directory.reportURL.relativePath)
    }
}
