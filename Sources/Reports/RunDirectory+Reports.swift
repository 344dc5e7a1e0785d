import Measuring
import RunRecords

extension RunDirectory {
    /// Makes `summary.md`, `report.html`, `samples.csv`, `figures.csv`, `comparisons.csv`,
    /// `columns.csv`, `verdict.json` and `junit.xml` from the run; also `claims.md` and `claims.html` if it was asked about claims.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func writeReports(of run: Run) throws {
        try replace(summaryURL.lastPathComponent, with: RunSummary(run).markdown)
        try replace(reportURL.lastPathComponent, with: RunPage(run).page.source)
        try replace("samples.csv", with: SamplesTable(run).text)
        try replace("figures.csv", with: FiguresTable(run).text)
        try replace("comparisons.csv", with: ComparisonsTable(run).text)
        try replace("columns.csv", with: ColumnsTable(run).text)
        try replace("verdict.json", with: VerdictFile(run).json)
        try replace("junit.xml", with: Judgements(of: run).junit)
        guard let claims = ClaimsReport(run), let page = ClaimsPage(run) else { return }
        try replace("claims.md", with: claims.markdown)
        try replace(claimsURL.lastPathComponent, with: page.page.source)
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

    /// Makes `summary.md` and `verdict.json` from the verdicts of several runs.
    ///
    /// - Throws: ``RunDirectoryError/unwritable(path:reason:)``.
    public func writeReports(of merged: MergedVerdicts) throws {
        try replace(summaryURL.lastPathComponent, with: merged.markdown)
        try replace("verdict.json", with: VerdictFile(merged, name: url.lastPathComponent).json)
    }
}
