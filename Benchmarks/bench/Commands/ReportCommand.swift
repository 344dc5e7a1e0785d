import ArgumentParser
import Benchmarking
import Foundation

/// Makes the reports of a run again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Make the reports of a run again.",
        discussion: "Also of a run that was killed, from its journal.")

    @Argument(
        help: ArgumentHelp("The folder of a run, or its run.json.", valueName: "run"),
        completion: .directory)
    var runPath: String

    func run() throws {
        let directory = RunDirectory(argument: runPath)
        let run = try directory.load()
        try directory.write(run)
        try directory.writeReports(of: run)
        print(directory.reportURL.relativePath)
    }
}

extension RunDirectory {
    /// Takes the path of `run.json` or of the journal for that of its folder.
    init(argument: String) {
        let url = URL(fileURLWithPath: argument)
        let isFile = ["run.json", "journal.jsonl"].contains(url.lastPathComponent)
        self.init(url: isFile ? url.deletingLastPathComponent() : url)
    }
}
