import ArgumentParser
import Foundation
import Reports
import RunRecords

/// Joins the shards of a run, or the verdicts of runs of different days.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the shards of a run, or runs of different days.",
        discussion: """
            Shards are parts of a run, which several machines measured with bench run --shard i/n, with \
            the same files, the same options and the same --seed. The merged run has all reports, and \
            bench check and bench report work on it. It ends as bench run does: with the gravest \
            finding and the rules of its workloads.

            Whole runs of the same questions give one table of verdicts from their verdict.json. Its \
            intervals hold those of each run, so they include what the days change; a comparison is \
            decided if all runs decided it alike.
            """)

    @Argument(
        help: ArgumentHelp("The folders of all shards, or of two runs or more.", valueName: "run"),
        completion: .directory)
    var runPaths: [String]

    @Option(help: "The folder of the result (default: results/<time>).", completion: .directory)
    var output: String?

    @OptionGroup var annotations: Annotations

    func run() throws {
        let directories = runPaths.map(RunDirectory.init(argument:))
        let runs = try directories.map { $0.holdsRun ? try $0.load() : nil }
        if directories.count > 1, runs.allSatisfy({ $0?.shard == nil }) {
            let merged = try MergedVerdicts(of: directories)
            let directory = try RunDirectory.create(output, at: Date())
            try directory.writeReports(of: merged)
            print("\(merged.terminalText)\n\n\(directory.summaryURL.relativePath)")
            return
        }
        let shards = try zip(directories, runs).map { directory, run in
            (path: directory.url.relativePath, run: try run ?? directory.load())
        }
        var merged = try Run(merging: shards, name: "", commandLine: CommandLine.arguments)
        let directory = try RunDirectory.create(output, at: Date())
        merged.name = directory.url.lastPathComponent
        try directory.write(merged)
        try directory.writeReports(of: merged)
        throw ArgumentParser.ExitCode(
            try directory.announce(merged, annotations).rawValue)
    }
}
