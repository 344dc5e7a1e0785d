import ArgumentParser
import Foundation
import Reports
import RunRecords

/// Writes a run or a comparison in the format of another tool.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a run in the format of another tool.",
        discussion: """
            github-action-benchmark is for its tool customSmallerIsBetter, \
            github-action-benchmark-bigger for customBiggerIsBetter; bencher is Bencher Metric \
            Format; jmh has the times and rates; hdr is a log of HDR histograms; comment is \
            Markdown for a pull request. A gate has only a comment.

            Cells that failed or gave a wrong answer are left out, but for a comment. What makes \
            figures doubtful is printed to standard error.
            """)

    @Argument(
        help: ArgumentHelp("The folder of a run or a gate, or its run.json.", valueName: "run"),
        completion: .directory)
    var runPath: String

    @Option(help: "The format.")
    var format: ExportFormat

    @Option(help: "The file to write (default: standard output).", completion: .file())
    var output: String?

    func run() throws {
        let text = try text(of: RunDirectory(argument: runPath))
        guard let output else { return print(text, terminator: "") }
        do {
            try text.write(toFile: output, atomically: true, encoding: .utf8)
        } catch {
            throw BenchFailure(exitCode: .usage, message: "cannot write \(output): \(error)")
        }
    }

    private func text(of directory: RunDirectory) throws -> String {
        if directory.holdsComparison { return try format.text(of: directory.loadComparison()) }
        guard directory.holdsRun || !directory.holdsVerdicts else {
            throw ExportError.onlyVerdicts(path: directory.url.relativePath)
        }
        let run = try directory.load()
        let text = try format.text(of: run)
        let cautions = format == .comment ? [] : Caution.on(run)
        for caution in cautions { StandardError.print("\(caution)") }
        return text
    }
}

extension ExportFormat: ExpressibleByArgument {}

extension RunDirectory {
    fileprivate var holdsVerdicts: Bool {
        FileManager.default.fileExists(atPath: url.appendingPathComponent("verdict.json").path)
    }
}
