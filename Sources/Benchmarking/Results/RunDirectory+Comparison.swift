import Foundation

extension RunDirectory {
    public func write(_ report: ComparisonReport) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(report).write(to: url.appendingPathComponent("comparison.json"))
    }

    public func writeReports(of report: ComparisonReport) throws {}
}
