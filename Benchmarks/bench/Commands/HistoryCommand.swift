import ArgumentParser
import Benchmarking
import Foundation

/// Keeps the medians of runs, and shows where they changed.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Keep the medians of runs, and show where they changed.",
        discussion: """
            Hints for people: a machine changes too, so nothing fails by its history. Values of \
            different machines and builds are never put in one series.
            """,
        subcommands: [
            AppendCommand.self, ShowCommand.self, ChangesCommand.self, DrawCommand.self,
        ])

    struct Options: ParsableArguments {
        @Option(help: "The file of the history.", completion: .file(extensions: ["jsonl"]))
        var history = "results/history.jsonl"

        var file: History { History(url: URL(fileURLWithPath: history)) }
    }

    /// Which rows to show.
    struct RowOptions: ParsableArguments {
        @Option(help: "A glob on workloads.")
        var workload = "*"

        @Option(help: "A glob on cells.")
        var cell = "*"

        @Option(help: "A glob on metrics.")
        var metric = "*"

        func series(in history: History) throws -> [HistorySeries] {
            let entries = try history.entries()
            let series = HistorySeries.all(
                in: entries, workload: Glob(workload), cell: Glob(cell), metric: Glob(metric))
            guard !series.isEmpty else {
                throw CommandFailure(
                    exitCode: .noBaseline,
                    message: entries.isEmpty
                        ? "there is no history yet; add runs with bench history append"
                        : "no row of the history fits these globs")
            }
            return series
        }
    }
}

extension HistoryCommand {
    struct AppendCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "append", abstract: "Add a run.")

        @Argument(
            help: ArgumentHelp("The folder of a run, or its run.json.", valueName: "run"),
            completion: .directory)
        var runPath: String

        @Option(help: "The commit that was measured (default: what the run says).")
        var commit: String?

        @OptionGroup var options: Options

        func run() throws {
            let run = try RunDirectory(argument: runPath).load()
            try options.file.append(run, commit: commit ?? run.commit)
        }
    }

    struct ShowCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show rows over time.")

        @OptionGroup var rows: RowOptions
        @OptionGroup var options: Options

        func run() throws {
            var lines = AlignedLines()
            for series in try rows.series(in: options.file) {
                for point in series.points {
                    lines.append([
                        series.workload, series.cell, series.metric.name, point.run,
                        point.commit.map { String($0.prefix(10)) } ?? "–",
                        series.metric.unit.format(point.value),
                    ])
                }
            }
            print(lines)
        }
    }

    struct ChangesCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "changes", abstract: "Show where rows changed.",
            discussion: "Times need 5 runs on either side of a change; counts show every step.")

        @OptionGroup var rows: RowOptions
        @OptionGroup var options: Options

        func run() throws {
            var lines = AlignedLines()
            for series in try rows.series(in: options.file) {
                for change in series.changes {
                    let point = series.points[change.index]
                    let values = [change.before, change.after].map(series.metric.unit.format)
                    lines.append([
                        series.workload, series.cell, series.metric.name, point.run,
                        point.commit.map { String($0.prefix(10)) } ?? "–",
                        values.joined(separator: " → "),
                        change.pValue.map { "p \(String(format: "%.5f", $0))" } ?? "exact",
                    ])
                }
            }
            print(lines)
        }
    }
    struct DrawCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "draw", abstract: "Draw rows over time, as a page.")

        @OptionGroup var rows: RowOptions
        @OptionGroup var options: Options

        @Option(help: "The page to write.", completion: .file(extensions: ["html"]))
        var output = "results/history.html"

        func run() throws {
            let page = HistoryPage(try rows.series(in: options.file)).source
            do {
                try page.write(toFile: output, atomically: true, encoding: .utf8)
            } catch {
                throw CommandFailure(exitCode: .usage, message: "cannot write \(output): \(error)")
            }
            print(output)
        }
    }
}
