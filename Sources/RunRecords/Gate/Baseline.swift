import Foundation
import Measuring

/// Counts of a run, kept to compare later runs with. It never keeps times: they depend on the
/// machine and the hour.
public struct Baseline: Codable, Hashable, Sendable {
    /// The version of this structure that the code reads and writes.
    public static let currentSchema = 2

    public var schema: Int
    public var name: String
    /// The commit that was counted, if known.
    public var commit: String?
    /// When that commit was made, if known.
    public var committedAt: Date?
    public var savedAt: Date
    public var conditions: Conditions
    public var cells: [Cell]

    /// What must be equal for counts to be comparable.
    public struct Conditions: Codable, Hashable, Sendable {
        public var swiftVersion: String
        public var sqliteVersion: String
        public var build: BuildConfiguration
        public var allocator: String
        /// ``DatasetDescription/identity``; `nil` if no workload used a data set.
        public var dataset: String?

        public init(
            _ identity: EnvironmentFingerprint.Identity, build: BuildConfiguration, dataset: String?
        ) {
            swiftVersion = identity.swiftVersion
            sqliteVersion = identity.sqliteVersion
            allocator = identity.allocator
            self.build = build
            self.dataset = dataset
        }
    }

    /// The counts of one cell, by ``Metric/name``.
    public struct Cell: Codable, Hashable, Sendable {
        public var workload: String
        public var cell: String
        public var counts: [String: Double]

        public init(workload: String, cell: String, counts: [String: Double]) {
            self.workload = workload
            self.cell = cell
            self.counts = counts
        }
    }

    public init(
        name: String, commit: String?, committedAt: Date? = nil, savedAt: Date,
        conditions: Conditions, cells: [Cell]
    ) {
        schema = Self.currentSchema
        self.name = name
        self.commit = commit
        self.committedAt = committedAt
        self.savedAt = savedAt
        self.conditions = conditions
        self.cells = cells
    }
}

extension Baseline {
    /// Returns the rows of cells that were counted again, and a row that cannot be judged for each
    /// cell that only the baseline or only this run has.
    ///
    /// - Throws: ``ComparisonError/otherConditions(_:)``, since counts then differ without a change
    ///   of the code, and ``ComparisonError/nothingShared(base:head:)``.
    public func compare(with cells: [Cell], under conditions: Conditions) throws -> [Comparison] {
        let differences = self.conditions.differences(from: conditions)
        guard differences.isEmpty else { throw ComparisonError.otherConditions(differences) }
        let rows = cells.flatMap { head -> [Comparison] in
            guard let base = self.cells.first(where: { $0.isSame(as: head) }) else { return [] }
            return Comparison.exactRows(
                workload: head.workload, cell: head.cell, base: [base.sample], head: [head.sample])
        }
        guard !rows.isEmpty else {
            throw ComparisonError.nothingShared(base: name, head: "this run")
        }
        let gone = self.cells.filter { base in !cells.contains { $0.isSame(as: base) } }
        let new = cells.filter { head in !self.cells.contains { $0.isSame(as: head) } }
        return rows + gone.compactMap { $0.row(isKept: true) }
            + new.compactMap { $0.row(isKept: false) }
    }

    /// Restores an earlier baseline's counts where the new ones are within half of the tolerance. A
    /// diff then shows only what changed, and slow growth is reported once it exceeds the tolerance.
    /// The other half is for counts that vary a little between processes.
    public mutating func keepSteadyCounts(of earlier: Baseline) {
        guard earlier.conditions == conditions else { return }
        for (place, cell) in cells.enumerated() {
            guard let base = earlier.cells.first(where: { $0.isSame(as: cell) }) else { continue }
            let rows = Comparison.exactRows(
                workload: cell.workload, cell: cell.cell, base: [base.sample], head: [cell.sample])
            for row in rows where row.verdict == .ok {
                guard case .exact(let tolerance) = row.rule,
                    abs((row.ratio ?? 1) - 1) <= tolerance / 2
                else { continue }
                cells[place].counts[row.metric.name] = row.base
            }
        }
    }

    /// Replaces the counts of known cells and adds new cells. With `onlyImproved`, keeps the counts
    /// of a cell in which any count regressed.
    public mutating func update(with cells: [Cell], onlyImproved: Bool) {
        for cell in cells {
            guard let place = self.cells.firstIndex(where: { $0.isSame(as: cell) }) else {
                self.cells.append(cell)
                continue
            }
            let rows = Comparison.exactRows(
                workload: cell.workload, cell: cell.cell, base: [self.cells[place].sample],
                head: [cell.sample])
            if !onlyImproved || !rows.contains(where: { $0.verdict == .regressed }) {
                self.cells[place] = cell
            }
        }
    }
}

extension Baseline.Cell {
    public func isSame(as other: Self) -> Bool {
        workload == other.workload && cell == other.cell
    }

    /// A row that cannot be judged: the cell is only in the baseline (`isKept`) or only in this
    /// run.
    fileprivate func row(isKept: Bool) -> Comparison? {
        var row = Comparison.exactRows(
            workload: workload, cell: cell, base: isKept ? [sample] : [],
            head: isKept ? [] : [sample]
        ).first
        row?.reason =
            isKept ? "this run did not count the cell" : "the cell is not in the baseline"
        return row
    }

    public var sample: Sample {
        Sample(metrics: counts)
    }
}

extension Baseline.Conditions {
    public func differences(from other: Self) -> [String] {
        [
            ("Swift", swiftVersion, other.swiftVersion),
            ("SQLite", sqliteVersion, other.sqliteVersion),
            ("build", build.rawValue, other.build.rawValue),
            ("allocator", allocator, other.allocator),
            ("data set", dataset ?? "none", other.dataset ?? "none"),
        ].compactMap { name, before, now in
            before == now ? nil : "\(name) was \(before) and is \(now)"
        }
    }
}
