import Measuring
import RunRecords

/// A colour for each subject, the same in all drawings of a report.
struct Palette {
    /// The number of colours in the style sheet.
    static let colourCount = 8
    private var colours: [String: Int] = [:]

    /// Colours in the order of first appearance, stacks before peers.
    init(_ run: Run) {
        let cells = run.workloads.flatMap(\.cells)
        let subjects = cells.filter { $0.role == .stack } + cells.filter { $0.role == .peer }
        for (place, subject) in subjects.map(\.subject).uniqued.enumerated() {
            colours[subject] = place % Self.colourCount
        }
    }

    func colour(of cell: CellResult) -> Int { colours[cell.subject] ?? 0 }
}
