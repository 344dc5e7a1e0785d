import Measuring

/// The figures of a run that later runs can be compared with, on any machine.
extension Run {
    /// The counts that repeat from run to run, of sound cells whose threads do not contend.
    public var countedCells: [Baseline.Cell] {
        workloads.filter(\.countsRepeat).flatMap { workload in
            workload.cells.filter(\.isSound).compactMap { cell in
                guard let sample = cell.counts else { return nil }
                let rows = Comparison.exactRows(
                    workload: workload.name, cell: cell.identifier, base: [sample], head: [sample])
                return Baseline.Cell(
                    workload: workload.name, cell: cell.identifier,
                    counts: rows.reduce(into: [:]) { $0[$1.metric.name] = $1.base })
            }
        }
    }

    /// What the primary metric of each cell is in relation to the raw C API in the same rounds. None
    /// of a build whose times mean nothing.
    public var ratiosToC: [Baseline.Cell] {
        guard build.hasTimes else { return [] }
        return workloads.flatMap { workload in
            workload.cells.filter { $0.isSound && !Self.peersInC.contains($0.subject) }
                .compactMap { cell in
                    let metric = workload.primaryMetric.name
                    let ratio = Self.peersInC.lazy
                        .compactMap { workload.counterpart(of: cell, subject: $0) }
                        .first { $0.isSound && $0.shard == cell.shard }
                        .flatMap { Statistics.pairedRatio(of: metric, cell, to: $0)?.estimate }
                    return ratio.map {
                        Baseline.Cell(
                            workload: workload.name, cell: cell.identifier, counts: [metric: $0])
                    }
                }
        }
    }

    /// The subjects that use the database's own C API.
    public static let peersInC = ["sqlite-c", "libpq"]
}
