import ArgumentParser
import Foundation
import Measuring
import Reports
import RunRecords

/// Saves, updates, lists, shows and deletes baselines.
struct BaselineCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baseline", abstract: "Save exact counts to compare later builds with.",
        discussion: """
            A baseline is a small file of exact counts, to be committed. \
            bench gate --baseline NAME compares a build with it. Baselines have no times: \
            times depend on the machine and the hour.
            """,
        subcommands: [
            SaveCommand.self, UpdateCommand.self, ListCommand.self, ShowCommand.self,
            DeleteCommand.self,
        ])

    struct Options: ParsableArguments {
        @Argument(help: "The baseline's name.")
        var name: String

        @Option(help: "The folder of baselines.", completion: .directory)
        var baselines = BaseOptions.folder

        var folder: BaselineFolder { BaselineFolder(argument: baselines) }

        func validate() throws {
            let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
            guard isPlain, name.first.map({ $0 != "." }) == true else {
                throw ValidationError(
                    "a baseline's name has letters, digits, '-', '_' and '.', and no leading '.'")
            }
        }
    }

    /// Which cells are counted, and how.
    struct CountingOptions: ParsableArguments {
        @Option(
            help: "A workload file (default: Benchmarks/Workloads/counts.yml); can be repeated.",
            completion: .file(extensions: ["yml"]))
        var file: [String] = []

        @Option(help: "Seconds without a reply after which a worker is killed.")
        var timeout = 120

        @Flag(help: "Count a debug build; only debug builds can be compared with it.")
        var allowDebug = false

        /// - Throws: ``BenchFailure`` when a cell is wrong or crashes; such counts make no
        ///   baseline.
        func count() throws -> BaselineCounts {
            let workloads = try Selection(files: file.isEmpty ? [WorkloadFiles.counts()] : file)
                .workloads
            if !allowDebug { try ReleaseBuild.require(forTimes: false) }
            Interruption.install()
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("bench-baseline-\(UUID().uuidString)")
            let preparation = try Preparation(folder: folder, timeout: .seconds(timeout))
            defer { preparation.remove() }
            let counts = try BaselineCounts(
                workloads, preparation: preparation, note: StandardError.print)
            if let cell = counts.unsoundCells.first { throw BenchFailure(cell) }
            return counts
        }
    }
}

extension BaselineCommand {
    struct SaveCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Save the counts of a workload file's cells.")

        @OptionGroup var options: Options
        @OptionGroup var counting: CountingOptions

        func run() throws {
            let counts = try counting.count()
            let checkout = Checkout.ofBench
            var baseline = Baseline(
                name: options.name, commit: checkout?.commit, committedAt: checkout?.committedAt,
                savedAt: Date(), conditions: counts.conditions, cells: counts.cells)
            if let earlier = try? options.folder.load(options.name) {
                baseline.keepSteadyCounts(of: earlier)
            }
            try options.folder.save(baseline)
            print("\(options.name): saved the counts of \(baseline.cells.count) cells")
        }
    }

    struct UpdateCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Count again and replace the saved counts.")

        @OptionGroup var options: Options
        @OptionGroup var counting: CountingOptions

        @Flag(help: "Do not update cells in which any count rose.")
        var onlyImproved = false

        func run() throws {
            var baseline = try options.folder.load(options.name)
            let counts = try counting.count()
            // Counts taken under other conditions cannot be compared, so all of them are replaced.
            if baseline.conditions == counts.conditions {
                baseline.update(with: counts.cells, onlyImproved: onlyImproved)
            } else {
                baseline.conditions = counts.conditions
                baseline.cells = counts.cells
            }
            baseline.commit = Checkout.ofBench?.commit
            baseline.committedAt = Checkout.ofBench?.committedAt
            baseline.savedAt = Date()
            try options.folder.save(baseline)
            print("\(options.name): saved the counts of \(baseline.cells.count) cells")
        }
    }

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the baselines.")

        @Option(help: "The folder of baselines.", completion: .directory)
        var baselines = BaseOptions.folder

        func run() throws {
            let folder = BaselineFolder(argument: baselines)
            print(AlignedLines(try folder.names.map { try folder.load($0).line }))
        }
    }

    struct ShowCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the counts of a baseline.")

        @OptionGroup var options: Options

        func run() throws {
            let baseline = try options.folder.load(options.name)
            print(baseline.line.joined(separator: "  ") + "\n")
            print(AlignedLines(baseline.cells.flatMap(\.lines)))
        }
    }

    struct DeleteCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a baseline.")

        @OptionGroup var options: Options

        func run() throws {
            try options.folder.delete(options.name)
        }
    }
}

extension BaselineFolder {
    init(argument: String) {
        self.init(url: URL(fileURLWithPath: argument))
    }
}

extension Baseline {
    /// The name, the number of cells, the commit, the time and the conditions.
    fileprivate var line: [String] {
        [
            name, "\(cells.count) cells", commit.map { String($0.prefix(10)) } ?? "no commit",
            savedAt.ISO8601Format(),
            "Swift \(conditions.swiftVersion), SQLite \(conditions.sqliteVersion), "
                + "\(conditions.allocator), \(conditions.build.rawValue)",
        ]
    }
}

extension Baseline.Cell {
    fileprivate var lines: [[String]] {
        counts.sorted { $0.key < $1.key }.map { name, count in
            ["\(workload) \(cell)", name, Metric.named(name).unit.format(count)]
        }
    }
}
