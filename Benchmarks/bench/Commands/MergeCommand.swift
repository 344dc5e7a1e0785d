import ArgumentParser
import Foundation
import RunRecords

/// Joins the results of all shards of a run.
struct MergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Join the shards of a run, which several machines measured, into one run.",
        discussion: """
            Each shard was made by bench run --shard i/n, with the same files, the same options and \
            the same --seed. The merged run has all reports, and bench check and bench report work on \
            it. It ends as bench run does: with the gravest finding and the rules of its workloads.
            """)

    @Argument(
        help: ArgumentHelp("The folders of all shards, in any order.", valueName: "run"),
        completion: .directory)
    var runPaths: [String]

    @Option(help: "The folder of the merged run (default: results/<time>).", completion: .directory)
    var output: String?

    @OptionGroup var annotations: Annotations

    func run() throws {
        let shards = try runPaths.map { (path: $0, run: try RunDirectory(argument: $0).load()) }
        var merged = try Run(merging: shards, name: "", commandLine: CommandLine.arguments)
        let directory = try RunDirectory.create(output, at: Date())
        merged.name = directory.url.lastPathComponent
        try directory.write(merged)
        try directory.writeReports(of: merged)
        throw ArgumentParser.ExitCode(
            try directory.announce(merged, annotations).rawValue)
    }
}
