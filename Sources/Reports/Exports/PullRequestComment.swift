import Measuring
import RunRecords

/// A Markdown comment for a pull request, and the summary of a step on GitHub: at most 25 lines show,
/// with what changed first. Everything else is folded.
public struct PullRequestComment {
    private let title: String
    /// The result in a sentence.
    private let headline: String
    /// What changed or failed, the gravest first; then the answers. One sentence each.
    private let findings: [String]
    /// The paragraphs of the folded part.
    private let rest: [String]

    /// Those that show, with empty ones; a sentence counts as the lines that it takes.
    private static let lineCountMax = 25
    /// About what a line of a comment holds.
    private static let lineWidth = 100
    /// GitHub refuses a comment with more than 65,536 characters.
    private static let characterCountMax = 65_000
    private static let rowCountMax = 100
}

extension PullRequestComment {
    /// What failed in a run, then its answers.
    public init(_ run: Run) {
        let screen = FirstScreen(run)
        title = "bench run \(escaped(run.name))"
        let headline = ClaimsReport(run)?.headline ?? screen.headline
        self.headline = (["**\(headline)**"] + screen.cautions.prefix(1)).joined(separator: " ")
        findings = screen.faults + screen.crossedRules + screen.advice + screen.techniques
        rest =
            screen.markdown.paragraphs
            + screen.figures.flatMap { ["**\($0.title)**", $0.table.markdown] }
            + [Provenance(run).table.markdown]
    }

    /// What changed between the two builds of a gate.
    public init(_ report: ComparisonReport) {
        let section = ComparisonSection(report)
        title = "bench gate \(escaped(report.title))"
        headline = "\(report.sentence) Exit \(report.exitCode.rawValue): \(report.meaning)."
        findings = section.sentences
        let table = ComparisonSection.table(of: Array(section.rows.prefix(Self.rowCountMax)))
        rest =
            (table.isEmpty ? [] : [table.markdown]) + [section.hidden].compactMap(\.self)
            + [Provenance(report).table.markdown] + ComparisonSection.guide
    }

    /// The rules that a run breaks, then those that cannot be judged.
    ///
    /// - Parameter name: of the run.
    public init(_ report: ThresholdReport, name: String) {
        let crossed = report.verdicts.filter(\.isCrossed)
        let open = report.verdicts.filter(\.isOpen)
        let held = report.verdicts.filter { !$0.isCrossed && !$0.isOpen }
        func lines(_ verdicts: [ThresholdVerdict]) -> [String] {
            verdicts.map { escaped("\($0)") }
        }
        title = "bench check \(escaped(name))"
        headline =
            "**Rules: \(held.count) held, \(crossed.count) crossed, \(open.count) could not be "
            + "judged.** Exit \(report.exitCode.rawValue): \(report.exitCode.meaning)."
        findings = report.unsoundCells.map { escaped("\($0)") } + lines(crossed) + lines(open)
        rest = lines(held)
    }
}

// MARK: - Text

extension PullRequestComment {
    public var markdown: String {
        let headline = Self.line(headline)
        // The title, the fold with its end, and three empty lines.
        var free = Self.lineCountMax - 6 - Self.lineCount(of: headline)
        let lines = findings.map { "- \(Self.line($0))" }
        let shown = lines.prefix { line in
            free -= Self.lineCount(of: line)
            return free >= 0
        }
        let hidden = lines.dropFirst(shown.count)
        var parts = ["### \(Self.line(title))", headline]
        if !shown.isEmpty { parts.append(shown.joined(separator: "\n")) }
        let fold =
            hidden.isEmpty
            ? "Everything else" : "\(hidden.count) more of these, and everything else"
        parts.append("<details><summary>\(fold)</summary>")
        return (parts + Self.folded(Array(hidden) + rest, after: parts) + ["</details>"])
            .joined(separator: "\n\n") + "\n"
    }

    /// The paragraphs that GitHub still accepts.
    private static func folded(_ paragraphs: [String], after shown: [String]) -> [String] {
        var free = characterCountMax - shown.map { $0.utf16.count + 2 }.reduce(0, +)
        let folded = paragraphs.prefix { paragraph in
            free -= paragraph.utf16.count + 2
            return free >= 0
        }
        let isCut = folded.count < paragraphs.count
        return folded + (isCut ? ["The rest is in the reports."] : [])
    }

    /// The text without line ends, cut if it is as long as the output of a crash.
    private static func line(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.count > 5 * lineWidth ? line.prefix(5 * lineWidth) + " …" : line
    }

    private static func lineCount(of line: String) -> Int {
        (InlineText(markdown: line).plain.count + lineWidth - 1) / lineWidth
    }
}

extension String {
    /// Its parts between empty lines.
    fileprivate var paragraphs: [String] {
        split(separator: "\n\n").map(String.init)
    }
}
