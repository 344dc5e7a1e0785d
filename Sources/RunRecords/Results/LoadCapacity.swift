import Foundation
import Measuring

/// The capacity of one cell of a load, usually the reference's. Open phases offer shares of it, so
/// that every subject gets the same load.
public struct LoadCapacity: Codable, Hashable, Sendable {
    /// ``WorkloadResult/name``.
    public var workload: String
    /// ``CellResult/identifier`` of the cell that was measured.
    public var cell: String
    /// The shares that open phases offer, in their order: 0.6 is 60 %.
    public var shares: [Double]
    /// The sum of all writers, one value for each reading.
    public var writesPerSecond: [Double]
    /// The sum of all readers, in the same readings.
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
    /// Tells the reader of a report what was offered, and what that is based on.
    public var description: String {
        let percentages = shares.map { String(format: "%g %%", $0 * 100) }
        let medians = [
            Self.median(writesPerSecond, "writes/s"), Self.median(readsPerSecond, "reads/s"),
        ].compactMap(\.self)
        let readings = zip(writesPerSecond, readsPerSecond).map {
            MetricUnit.perSecond.format($0 + $1)
        }
        return "Offered: \(percentages.listed) of \(medians.listed), the medians of "
            + "\(readings.count) readings of `\(cell)`: \(readings.listed) operations/s in total."
    }

    /// `nil` if the load has no such operations.
    private static func median(_ values: [Double], _ unit: String) -> String? {
        guard let median = Statistics.median(values), median > 0 else { return nil }
        return "\(MetricUnit.perSecond.format(median)) \(unit)"
    }
}
