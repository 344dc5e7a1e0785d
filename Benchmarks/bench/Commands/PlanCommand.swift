import ArgumentParser
import Benchmarking
import Foundation

/// Says what a run would do, without doing it.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Say what a run would measure, how long it takes and what it could find.",
        discussion: """
            Times come from the newest run in results/ of a release build that was made on the same \
            kind of machine and measured the cell. So do the detectable changes, for as many samples \
            as are planned; where there is none, they are what the design is known to reach in 20 \
            pairs on a quiet machine, and are marked with ~.
            """)

    @OptionGroup var selected: SelectionOptions

    @Option(help: "The folder of runs to learn from.", completion: .directory)
    var results = "results"

    @Flag(inversion: .prefixedNo, help: "As of bench run.")
    var counts = true

    func run() throws {
        let selection = try selected.selection()
        let known = KnownRuns(in: URL(fileURLWithPath: results))
        print(Plan(selection.workloads, counts: counts, known: known))
    }
}

/// What a run of some workloads comes to.
struct Plan: CustomStringConvertible {
    private struct Line {
        var workload: String
        var cell: String
        var processCount: Int
        /// Of all its processes; nil where no earlier run tells.
        var seconds: Double?
        var detectable: String
    }

    private let lines: [Line]

    init(_ workloads: [Workload], counts: Bool, known: KnownRuns) {
        lines = workloads.flatMap { workload in
            workload.cells.map { cell in
                let identifier = CellResult(cell, of: workload).identifier
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

    var description: String {
        let rows = lines.map { line in
            [
                line.workload, line.cell, "\(line.processCount)",
                line.seconds.map(MetricUnit.seconds.format) ?? "?", line.detectable,
            ]
        }
        return AlignedLines([["workload", "cell", "processes", "time", "could see"]] + rows)
            .description + "\n\n"
            + total
    }

    private var total: String {
        let known = lines.compactMap(\.seconds)
        let processes = lines.reduce(0) { $0 + $1.processCount }
        let start = "\(lines.count) cells, \(processes) processes, "
        guard !known.isEmpty else {
            return start + "time unknown: none of the cells was run before"
        }
        // The cells that nobody knows are taken for as long as the others.
        let seconds = known.reduce(0, +) * Double(lines.count) / Double(known.count)
        let guessed = lines.count - known.count
        return start + "about \(MetricUnit.seconds.format(seconds))"
            + (guessed > 0 ? ", \(guessed) cells guessed" : "")
    }
}
