import Foundation

extension ComparisonReport {
    /// Compares two runs that were made at different times, cell by cell.
    ///
    /// Counts that repeat are judged exactly, those of contended work not at all. Times only give hints, since nobody knows what else
    /// was different; the rows of all of them are corrected for their number.
    /// Source: instrument §2.4, items 7 and 12.
    ///
    /// - Throws: ``ComparisonError/otherConditions(_:)``, since counts would differ for no fault of the code, and
    ///   ``ComparisonError/nothingShared(base:head:)``.
    public init(
        comparing base: Run, with head: Run, commandLine: [String], minimumEffect: Double = 0.025
    ) throws {
        let differences = base.conditions.differences(from: head.conditions)
        guard differences.isEmpty else { throw ComparisonError.otherConditions(differences) }
        self.init(
            base: Arm(name: base.name), head: Arm(name: head.name), startedAt: head.startedAt,
            seed: head.seed, commandLine: commandLine, build: head.build,
            environment: head.environment, dataset: head.dataset)
        finishedAt = head.finishedAt
        let shared = Self.sharedCells(of: base, and: head)
        guard !shared.isEmpty else {
            throw ComparisonError.nothingShared(base: base.name, head: head.name)
        }
        for cell in shared { add(cell, minimumEffect: minimumEffect) }
        tellAdvisoryRows()
    }

    private struct SharedCell {
        var workload: WorkloadResult
        var base: CellResult
        var head: CellResult
    }

    private static func sharedCells(of base: Run, and head: Run) -> [SharedCell] {
        head.workloads.flatMap { workload -> [SharedCell] in
            let other = base.workloads.first {
                $0.name == workload.name && $0.kind == workload.kind
                    && $0.parameters == workload.parameters
            }
            return workload.cells.compactMap { cell in
                other?.cells.first { $0.identifier == cell.identifier }.map {
                    SharedCell(workload: workload, base: $0, head: cell)
                }
            }
        }
    }

    private mutating func add(_ shared: SharedCell, minimumEffect: Double) {
        let unsound = [shared.base, shared.head].compactMap {
            UnsoundCell($0, of: shared.workload)
        }
        guard unsound.isEmpty else {
            unsoundCells += unsound
            return
        }
        let cell = shared.head.identifier
        let counts = [shared.base, shared.head].map { [$0.counts].compactMap(\.self) }
        if shared.workload.countsRepeat, !counts[0].isEmpty, !counts[1].isEmpty {
            rows += Comparison.exactRows(
                workload: shared.workload.name, cell: cell, base: counts[0], head: counts[1])
        }
        let metrics = [shared.workload.primaryMetric, .time, .cpuTime, .peakMemory]
        for (place, metric) in metrics.enumerated() where !metrics[..<place].contains(metric) {
            let values = [shared.base, shared.head].map { $0.values(of: metric.name) }
            guard !values.contains(where: \.isEmpty) else { continue }
            rows.append(
                Comparison(
                    unpaired: metric, workload: shared.workload.name, cell: cell, base: values[0],
                    head: values[1], minimumEffect: minimumEffect, seed: seed))
        }
    }
}

/// Why a comparison has nothing to say.
public enum ComparisonError: Error, Hashable {
    case nothingShared(base: String, head: String)
    /// A base from another toolchain, SQLite, kind of build or data set: what differs, a line each.
    case otherConditions([String])
}

extension ComparisonError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .nothingShared(let base, let head):
            "\(base) and \(head) have no cell in common: same workload, parameters and subject"
        case .otherConditions(let differences):
            "the base was made under other conditions: \(differences.joined(separator: "; ")). "
                + "Make both under the same, a baseline with scripts/gate --keep NAME"
        }
    }
}
