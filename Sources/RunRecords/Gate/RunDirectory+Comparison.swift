import Foundation
import Measuring

/// A folder may contain a comparison instead of a run: `comparison.json`, and the reports made from
/// it.
extension RunDirectory {
    public var comparisonURL: URL { url.appendingPathComponent("comparison.json") }

    public var holdsComparison: Bool {
        FileManager.default.fileExists(atPath: comparisonURL.path)
    }

    /// Replaces `comparison.json`. Like ``write(_:)-(Run)``, it keeps the file complete at every
    /// moment.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func write(_ report: ComparisonReport) throws {
        try replace(comparisonURL.lastPathComponent, with: report)
    }

    /// Reads `comparison.json`.
    ///
    /// - Throws: as ``load()``.
    public func loadComparison() throws -> ComparisonReport {
        try load(
            ComparisonReport.self, schema: ComparisonReport.currentSchema, from: comparisonURL)
    }
}
