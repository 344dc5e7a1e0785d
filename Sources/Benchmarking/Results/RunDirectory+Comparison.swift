import Foundation

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

    /// Makes `summary.md`, `report.html`, `comparisons.csv`, `verdict.json` and `junit.xml` from the
    /// comparison.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func writeReports(of report: ComparisonReport) throws {
        try replace(summaryURL.lastPathComponent, with: ComparisonSummary(report).markdown)
        try replace(reportURL.lastPathComponent, with: ComparisonPage(report).page.source)
        try replace("comparisons.csv", with: ComparisonsTable(report).text)
        try replace("verdict.json", with: VerdictFile(report).json)
        try replace("junit.xml", with: Judgements(of: report).junit)
    }

    /// Reads `comparison.json`.
    ///
    /// - Throws: as ``load()``.
    public func loadComparison() throws -> ComparisonReport {
        try load(
            ComparisonReport.self, schema: ComparisonReport.currentSchema, from: comparisonURL)
    }
}
