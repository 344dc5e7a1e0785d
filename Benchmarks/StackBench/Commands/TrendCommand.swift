import ArgumentParser
import Foundation
import Reports
import RunRecords

/// Finds the commits at which counts and ratios to C changed.
struct TrendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trend",
        abstract: "Find the commits at which counts changed; exit 10 if one got worse.",
        discussion: """
            The folder has a run, a gate or a baseline for each commit: a folder with verdict.json, or \
            a JSON file. They are ordered by the dates of the commits, and by name where one has no \
            date.

            A change must last for three commits. Times are left out, since stored times of two \
            commits are from two states of a machine; ratios to C of the same run are judged.
            """)

    @Argument(
        help: ArgumentHelp("The folder of the history.", valueName: "folder"),
        completion: .directory)
    var folder: String

    @Option(
        help: "The page to write (default: trend.html in the folder).",
        completion: .file(extensions: ["html"]))
    var page: String?

    func run() throws {
        let folder = URL(fileURLWithPath: self.folder)
        let trend = Trend(of: try History(of: folder))
        let file =
            page.map(URL.init(fileURLWithPath:)) ?? folder.appendingPathComponent("trend.html")
        do {
            try Data(trend.html.utf8).write(to: file, options: .atomic)
        } catch {
            throw RunDirectoryError.unwritable(path: file.path, reason: "\(error)")
        }
        print("\(trend.terminalText(width: Terminal.width))\n\n\(file.relativePath)")
        throw ArgumentParser.ExitCode(trend.exitCode.rawValue)
    }
}
