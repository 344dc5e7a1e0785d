import Measuring
import RunRecords

/// The rows of a comparison for a reader: a sentence for each row that changed or cannot be judged,
/// and a table of them.
struct ComparisonSection {
    let report: ComparisonReport

    init(_ report: ComparisonReport) {
        self.report = report
    }

    /// The rows to show, the gravest first. Unchanged rows are only counted.
    var rows: [Comparison] {
        [Verdict.regressed, .improved, .inconclusive].flatMap(report.rows)
    }

    var sentences: [String] {
        report.unsoundCells.map { $0.sentence(about: "\($0.workload) \($0.cell)") }
            + rows.map(\.sentence)
    }

    /// Says how many rows are not in the table; `nil` for none.
    var hidden: String? {
        let count = report.rows(.ok).count
        guard count > 0 else { return nil }
        return "\(count) \(count == 1 ? "row" : "rows") did not change"
            + (rows.isEmpty ? "." : " and \(count == 1 ? "is" : "are") not shown.")
    }

    var table: ReportTable { Self.table(of: rows) }

    static func table(of rows: [Comparison]) -> ReportTable {
        var table = ReportTable([
            ("row", .left), ("metric", .left), ("base", .right), ("head", .right),
            ("change [interval]", .right), ("p", .right), ("smallest change shown", .right),
            ("verdict", .left),
        ])
        for row in rows {
            table.append([
                escaped("\(row.workload) \(row.cell)"), row.metric.title,
                row.base.map(row.metric.unit.format) ?? "–",
                row.head.map(row.metric.unit.format) ?? "–", row.change,
                row.pValue.map { $0 < 0.000_1 ? "\\<.0001" : fixed($0, 4) }
                    ?? (row.isExact ? "exact" : "–"),
                row.isExact ? "exact" : row.minimumDetectableEffect.map(percent) ?? "nothing",
                row.word,
            ])
        }
        return table
    }

    /// How verdicts are reached, one sentence each.
    static let guide = [
        """
        Base and head ran in pairs of processes that took turns. A row's change is the median of \
        its pairs' ratios head / base, with the exact interval of that median.
        """,
        """
        **regressed** and **improved** were found twice: in the pairs, and again in fresh pairs. \
        **ok**: a change as large as the row must detect would have been seen. \
        **inconclusive**: it might have been missed; this never counts as ok.
        """,
        """
        **smallest change shown** is what 95 of 100 such runs would find. \
        The grey band in the drawing shows it. Counts are exact: they do not depend on the machine.
        """,
    ]
}

extension UnsoundCell {
    /// "✗ **name** gave a wrong answer: …" or "✗ **name** failed: …".
    func sentence(about name: String) -> String {
        "✗ **\(escaped(name))** \(isWrongAnswer ? "gave a wrong answer" : "failed"): "
            + escaped(reason)
    }
}

extension Comparison {
    var isExact: Bool {
        switch rule {
        case .exact, .growth: true
        case .paired: false
        }
    }

    /// The change of the head from the base, as "+8.4 % [+6.9, +9.8]".
    var change: String {
        guard let ratio else { return base == head ? "0 %" : "–" }
        let text = signedPercent(ratio - 1, digits: 1)
        guard let interval, interval.lower < interval.upper else { return text }
        let bounds = [interval.lower, interval.upper].map {
            signedPercent($0 - 1, digits: 1).replacing(" %", with: "")
        }
        return "\(text) [\(bounds.joined(separator: ", "))]"
    }

    /// The verdict, in bold if something changed.
    var word: String {
        switch verdict {
        case .regressed, .improved: "**\(verdict.rawValue)**"
        case .ok, .inconclusive: verdict.rawValue
        }
    }
}
