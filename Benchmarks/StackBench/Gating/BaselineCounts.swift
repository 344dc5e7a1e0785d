import Foundation
import RunRecords

/// The counts of this build, for a baseline or for a comparison with one.
struct BaselineCounts {
    var cells: [Baseline.Cell]
    var unsoundCells: [UnsoundCell]
    var conditions: Baseline.Conditions

    /// Counts the cells of all workloads except contended and growth workloads.
    ///
    /// - Throws: ``Interrupted``, and the errors of starting a process or writing to the disk.
    init(
        _ workloads: [Workload], preparation: Preparation, note: (String) -> Void
    ) throws {
        var cells: [Baseline.Cell] = []
        var unsoundCells: [UnsoundCell] = []
        for workload in workloads where !workload.kind.isContended && workload.kind.work != .growth
        {
            for cell in workload.cells {
                let identifier = workload.identifier(of: cell)
                note("counting \(workload.name) \(identifier)")
                let arm = PairedArm(workload: workload, cell: cell)
                switch try CellCounts.take(arm, seed: CountingPass.seed, preparation) {
                case .failure(let failure):
                    unsoundCells.append(
                        UnsoundCell(failure, workload: workload.name, cell: identifier))
                case .samples(let samples):
                    cells.append(
                        Baseline.Cell(
                            workload: workload.name, cell: identifier,
                            counts: Self.steady(samples)))
                }
            }
        }
        self.cells = cells
        self.unsoundCells = unsoundCells
        conditions = Baseline.Conditions(
            EnvironmentFingerprint.ofBench().identity, build: .ofBench,
            dataset: preparation.dataset?.identity)
    }

    /// The counts on which all passes agree, within the tolerance of each count.
    private static func steady(_ samples: [Sample]) -> [String: Double] {
        let rows = Comparison.exactRows(workload: "", cell: "", base: samples, head: samples)
        return rows.filter { $0.verdict == .ok }.reduce(into: [:]) { counts, row in
            counts[row.metric.name] = row.base
        }
    }
}
