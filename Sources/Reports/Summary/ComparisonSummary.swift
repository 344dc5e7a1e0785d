import Measuring
import RunRecords

/// `summary.md` of a comparison: the verdict, then a sentence and a line for each row that changed
/// or cannot be judged.
struct ComparisonSummary {
    let report: ComparisonReport

    init(_ report: ComparisonReport) {
        self.report = report
    }

    var markdown: String {
        let section = ComparisonSection(report)
        var parts = [
            "# \(escaped(report.title))", Provenance(report).table.markdown, "## The verdict",
            "\(report.sentence) Exit \(report.exitCode.rawValue): \(report.meaning).",
        ]
        if !section.sentences.isEmpty {
            parts.append(section.sentences.map { "- \($0)" }.joined(separator: "\n"))
        }
        if !section.table.isEmpty { parts.append(section.table.markdown) }
        parts += [section.hidden].compactMap(\.self)
        parts.append("## How to read this")
        parts.append(ComparisonSection.guide.map { "- \($0)" }.joined(separator: "\n"))
        return parts.joined(separator: "\n\n") + "\n"
    }
}
