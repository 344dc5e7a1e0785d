import Foundation

/// What a cell of a load can do, as a rule the reference's: open phases take their share of it, so that
/// every subject is offered the same.
public struct LoadCapacity: Codable, Hashable, Sendable {
    /// ``WorkloadResult/name``.
    public var workload: String
    /// ``CellResult/identifier`` of the cell that was measured.
    public var cell: String
    /// What open phases take of it, in their order: 0.6 is 60 %.
    public var shares: [Double]
    /// Of all writers together, a value for each reading.
    public var writesPerSecond: [Double]
    /// Of all readers together, in the same readings.
    public var readsPerSecond: [Double]

    public init(
        workload: String, cell: String, shares: [Double], writesPerSecond: [Double] = [],
        readsPerSecond: [Double] = []
    ) {
        self.workload = workload
        self.cell = cell
        self.shares = shares
        self.writesPerSecond = writesPerSecond
        self.readsPerSecond = readsPerSecond
    }
}

extension LoadCapacity: CustomStringConvertible {
    /// What was offered, and what that rests on, for the reader of a report.
    public var description: String {
        let percentages = shares.map { String(format: "%g %%", $0 * 100) }
        let medians = [
            Self.median(writesPerSecond, "writes/s"), Self.median(readsPerSecond, "reads/s"),
        ].compactMap(\.self)
        let readings = zip(writesPerSecond, readsPerSecond).map {
            MetricUnit.perSecond.format($0 + $1)
        }
        return "Offered: \(percentages.listed) of \(medians.listed), the medians of "
            + "\(readings.count) readings of `\(cell)`, in all \(readings.listed) operations/s."
    }

    /// Nil for those that the load has none of.
    private static func median(_ values: [Double], _ unit: String) -> String? {
        guard let median = Statistics.median(values), median > 0 else { return nil }
        return "\(MetricUnit.perSecond.format(median)) \(unit)"
    }
}
