import ArgumentParser
import Foundation
import Measuring
import Reports
import RunRecords

/// Shows what a run would measure, without measuring.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a run would measure, how long it takes and what it could detect.",
        discussion: """
            A run with a budget, as without files, gives rounds to the questions that need them. Its plan \
            has the rounds until each question is likely to be decided.

            Times and detectable changes come from the newest run of a release build in results/ \
            that measured the cell on the same kind of machine. Detectable changes are those of \
            the planned number of samples. Without such a run, they are what the design reaches \
            in 20 pairs on a quiet machine, and are marked with ~.

            --shards n shows which part of bench run --shard i/n measures a cell, and the part of the \
            whole time that each is expected to take.
            """)

    @OptionGroup var selected: SelectionOptions

    @OptionGroup var lasting: LengthOptions

    @OptionGroup var ownStore: OwnStoreOptions

    @Option(help: "The folder of earlier runs.", completion: .directory)
    var results = "results"

    @Flag(inversion: .prefixedNo, help: "Include the process that counts, as bench run does.")
    var counts = true

    @Option(help: "Show how the cells are divided into so many shards.")
    var shards: Int?

    func validate() throws {
        try lasting.requireOneLength(selected)
        try ownStore.requireAlone(selected, lasting)
        guard Shard.isPossible(1, of: shards ?? 1) else {
            throw ValidationError("--shards must be from 1 to \(Shard.countMax)")
        }
    }

    func run() throws {
        let length = lasting.length(of: selected)
        try ownStore.store?.check()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "bench-plan-\(ProcessInfo.processInfo.processIdentifier)")
        let own = try ownStore.survey(into: RunDirectory(url: folder), length, selected)
        defer {
            own?.remove()
            rmdir(folder.path)
        }
        let workloads = try selected.selection(of: own, atFullSize: lasting.full).workloads
        let known = KnownRuns(in: results)
        if let own {
            let lines = own.findings.map { "- \($0)".wrapped(to: Terminal.width, indent: 2) }
            print(lines.joined(separator: "\n") + "\n")
        }
        if length == .asPlanned {
            print(PlannedTable(workloads, counts: counts, known: known).text(width: Terminal.width))
        } else {
            let plan = AdaptivePlan(workloads, length: length, known: known)
            print(plan.text(width: Terminal.width))
        }
        if let shards { print("\n\(ShardPlan(workloads, count: shards))") }
    }
}

/// The cells of some workloads, with their expected time and detectable change.
struct PlannedTable {
    private struct Line {
        var workload: String
        var cell: String
        var processCount: Int
        /// The time of all its processes; nil when no earlier run measured the cell.
        var seconds: Double?
        var detectable: String
    }

    private let lines: [Line]
    /// That of earlier runs.
    private let folder: String

    init(_ workloads: [Workload], counts: Bool, known: KnownRuns) {
        folder = known.folder
        lines = workloads.flatMap { workload in
            workload.cells.map { cell in
                let identifier = workload.identifier(of: cell)
                let processCount = workload.repetitions + (counts ? 1 : 0)
                let seconds = known.secondsPerSample(of: identifier, in: workload.name)
                return Line(
                    workload: workload.name, cell: identifier, processCount: processCount,
                    seconds: seconds.map { $0 * Double(processCount) },
                    detectable: known.detectableEffect(
                        of: identifier, in: workload, sampleCount: workload.repetitions))
            }
        }
    }

    /// - Parameter width: the terminal's; nil to break no line.
    func text(width: Int?) -> String {
        let rows = lines.map { line in
            [
                line.workload, line.cell, "\(line.processCount)",
                line.seconds.map(MetricUnit.seconds.format) ?? "?", line.detectable,
            ]
        }
        let head = ["workload", "cell", "processes", "time", "smallest change it would show"]
        return AlignedLines([head] + rows).text(width: width) + "\n\n" + total.wrapped(to: width)
    }

    private var total: String {
        let known = lines.compactMap(\.seconds)
        let processes = lines.reduce(0) { $0 + $1.processCount }
        let start = "\(lines.count) cells, \(processes) processes, "
        guard !known.isEmpty else {
            return start + "time unknown: no earlier run in \(folder) measured these cells; "
                + "--results names another folder"
        }
        // Cells without an earlier run are assumed to take the average of the others.
        let seconds = known.reduce(0, +) * Double(lines.count) / Double(known.count)
        let guessed = lines.count - known.count
        return start + "about \(MetricUnit.seconds.format(seconds))"
            + (guessed > 0 ? "; \(guessed) cells without an earlier run are guessed" : "")
    }
}
