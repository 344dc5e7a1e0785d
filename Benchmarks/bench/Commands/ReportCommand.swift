import ArgumentParser
import Benchmarking
import Foundation

/// Makes the reports of a run again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Make samples.csv and report.md again from run.json.")

    @Argument(
        help: ArgumentHelp("The folder of a run, or its run.json.", valueName: "run"),
        completion: .directory)
    var runPath: String

    func run() throws {
        let directory = RunDirectory(argument: runPath)
        try directory.writeReports(of: directory.load())
        print(directory.reportURL.relativePath)
    }
}

extension RunDirectory {
    /// Takes the path of `run.json` for that of its folder.
    init(argument: String) {
        let url = URL(fileURLWithPath: argument)
        self.init(url: url.lastPathComponent == "run.json" ? url.deletingLastPathComponent() : url)
    }
}
