import Foundation
import Measuring
import RunRecords

extension Trend {
    /// A self-contained page: the answer, a curve for each row that changed, and the others folded.
    public var html: String {
        let found = changes
        return Page(
            title: "Trend – StackBench", banner: banner,
            sections: [
                Page.Section(
                    anchor: "changes", title: "What changed, and at which commit",
                    content: found.isEmpty
                        ? [] : [Self.table(of: found, in: history).markup]),
                Page.Section(
                    anchor: "curves", title: "The rows that changed",
                    content: curves(of: changedRows)),
                Page.Section(
                    anchor: "unconfirmed", title: "Not confirmed yet",
                    content: unconfirmed.isEmpty
                        ? []
                        : [
                            .paragraph(
                                "The newest commits are off the line, but fewer than "
                                    + "\(ChangePointRule.shortestStretch) of them."),
                            unconfirmedTable(of: unconfirmed).markup,
                        ] + curves(of: unconfirmed)),
                Page.Section(anchor: "others", title: "The other rows", content: others),
                .guide(notes + Self.guide),
            ]
        ).source
    }

    private var banner: [Markup] {
        let style = exitCode == .success ? (unconfirmed.isEmpty ? "" : "doubtful") : "bad"
        return Page.banner(
            "Counts and ratios to C of \(history.commits.count) commits", headline: headline,
            style: style, [.paragraph("Exit \(exitCode.rawValue): \(exitCode.meaning).")])
    }

    /// Each once, in the order of ``changes``.
    private var changedRows: [Row] {
        var seen: Set<TrackedFigure> = []
        return changes.map(\.row).filter { seen.insert($0.figure).inserted }
    }

    private func curves(of rows: [Row]) -> [Markup] {
        rows.map { row in
            .figure(
                row.plot(commits: history.commits.map(\.title)).chart.markup,
                "**\(escaped(row.figure.row)): \(row.figure.title)**")
        }
    }

    private var others: [Markup] {
        let steady = rows.filter { $0.changes.isEmpty && $0.unconfirmed == nil }
        let varying = steady.filter { !$0.isConstant }
        var constant = ReportTable([("row", .left), ("figure", .left), ("value", .right)])
        for row in steady where row.isConstant {
            constant.append([
                escaped(row.figure.row), row.figure.title, row.figure.unit.format(row.level),
            ])
        }
        var few = ReportTable([("row", .left), ("figure", .left), ("commits", .right)])
        for (figure, count) in unjudged {
            few.append([escaped(figure.row), figure.title, "\(count)"])
        }
        let folded: [(String, [Markup])] = [
            ("\(varying.count) that vary without a change", curves(of: varying)),
            (
                "\(steady.count - varying.count) that are the same at all commits",
                constant.isEmpty ? [] : [constant.markup]
            ),
            ("\(unjudged.count) that too few commits have", few.isEmpty ? [] : [few.markup]),
        ]
        return folded.filter { !$0.1.isEmpty }.map { Markup.details($0.0, $0.1) }
    }

    /// How changes are found, one sentence each.
    private static let guide = [
        """
        **✗** is a change for the worse, **✓** one for the better. With **?** something else changed at \
        the same commit, such as SQLite, which explains it as well; it fails nothing.
        """,
        """
        A change is a place from which on the level of a row is another, for \
        \(ChangePointRule.shortestStretch) commits or more. E-divisive finds the place, and Student’s t \
        test must find the two stretches different. One or two runs off the line are left out first. \
        Levels are medians. Counts must differ by more than they vary, and ratios by more than 5 %.
        """,
        """
        In a history without any change, the probability that a row shows one is at most \
        \(percent(Trend.error)) for all rows together.
        """,
    ]
}

extension Trend.Row {
    fileprivate func plot(commits: [String]) -> TrendPlot {
        let starts = [0] + changes.map(\.point.index)
        let ends = changes.map(\.point.index) + [values.count]
        let levels = zip(starts, ends).enumerated().map { number, stretch in
            TrendPlot.Level(
                places: places[stretch.0]...places[stretch.1 - 1],
                value: Statistics.median(Array(values[stretch.0..<stretch.1])) ?? 0,
                style: number == 0 ? nil : changes[number - 1].style)
        }
        return TrendPlot(
            title: "\(figure.row): \(figure.title)", unit: figure.unit, commits: commits,
            points: zip(places, values).map { ($0, $1) }, levels: levels)
    }
}

extension Trend.Change {
    fileprivate var style: ForestPlot.Style { isOfCode ? isWorse ? .worse : .better : .unclear }
}
