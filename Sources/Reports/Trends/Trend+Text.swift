import Foundation
import Measuring
import RunRecords

extension Trend {
    /// "12 of 345 rows got worse, at 2 of 60 commits; 3 got better."
    var headline: String {
        let found = changes
        let count = grouped(Double(rows.count))
        guard !found.isEmpty else {
            return "None of \(count) rows changed in \(history.commits.count) commits."
        }
        let worse = found.filter { $0.change.isOfCode && $0.change.isWorse }
        let better = found.filter { $0.change.isOfCode && !$0.change.isWorse }
        let other = found.filter { !$0.change.isOfCode }
        func rowCount(_ changes: [(row: Row, change: Change)]) -> Int {
            Set(changes.map(\.row.figure)).count
        }
        func commits(_ changes: [(row: Row, change: Change)]) -> String {
            let places = Set(changes.map(\.change.place)).sorted()
            guard places.count == 1 else {
                return "at \(places.count) of \(history.commits.count) commits"
            }
            return "at \(escaped(history.commits[places[0]].title)), one of "
                + "\(history.commits.count) commits"
        }
        var parts: [String] = []
        if worse.isEmpty {
            parts.append("None of \(count) rows got worse")
        } else {
            parts.append("\(rowCount(worse)) of \(count) rows got worse, \(commits(worse))")
        }
        if !better.isEmpty { parts.append("\(rowCount(better)) got better, \(commits(better))") }
        if !other.isEmpty {
            parts.append(
                "\(rowCount(other)) changed together with their conditions, \(commits(other))")
        }
        return parts.joined(separator: "; ") + "."
    }

    /// The answer, the changes, and what was not judged.
    ///
    /// - Parameter width: the terminal's; `nil` for any.
    public func terminalText(width: Int?) -> String {
        func part(_ all: Int, _ shown: Int, _ table: ReportTable) -> [String] {
            guard !table.isEmpty else { return [] }
            let hidden = all > shown ? "\nThe page has \(all - shown) more." : ""
            return [table.terminalText(width: width) + hidden]
        }
        let (found, open) = (changes, unconfirmed)
        let notes = notes.map { InlineText(markdown: $0).plain.wrapped(to: width) }
        let parts =
            [InlineText(markdown: headline).plain]
            + part(
                found.count, Self.shownChanges,
                Self.table(of: Array(found.prefix(Self.shownChanges)), in: history))
            + part(
                open.count, Self.shownUnconfirmed,
                unconfirmedTable(of: Array(open.prefix(Self.shownUnconfirmed))))
        return (parts + [notes.joined(separator: "\n")]).joined(separator: "\n\n")
    }

    /// How many rows a terminal shows; the page has all.
    private static let (shownChanges, shownUnconfirmed) = (40, 10)

    static func table(
        of changes: [(row: Row, change: Change)], in history: History
    ) -> ReportTable {
        let hasRemarks = changes.contains { !$0.change.remark.isEmpty }
        var table = ReportTable(
            [
                ("", .left), ("commit", .left), ("of", .left), ("row", .left), ("figure", .left),
                ("before", .right), ("after", .right), ("change", .right),
            ] + (hasRemarks ? [("beside it", .left)] : []))
        for (row, change) in changes {
            let commit = history.commits[change.place]
            let unit = row.figure.unit
            table.append(
                [
                    change.mark, "`\(escaped(commit.title))`",
                    commit.date.map { "`\(day($0))`" } ?? "", escaped(row.figure.row),
                    row.figure.title, unit.format(change.point.before),
                    unit.format(change.point.after), change.share,
                ] + (hasRemarks ? [change.remark] : []))
        }
        return table
    }

    /// Rows that may have changed.
    func unconfirmedTable(of rows: [Row]) -> ReportTable {
        var table = ReportTable([
            ("", .left), ("not confirmed yet, since", .left), ("row", .left), ("figure", .left),
            ("line", .right), ("newest", .right),
        ])
        for row in rows {
            guard let since = row.unconfirmed, let newest = row.values.last else { continue }
            let unit = row.figure.unit
            table.append([
                since.isWorse ? "✗" : "✓", "`\(escaped(history.commits[since.place].title))`",
                escaped(row.figure.row), row.figure.title, unit.format(row.level),
                unit.format(newest),
            ])
        }
        return table
    }

    /// What the reader has to know of the history, one sentence each.
    var notes: [String] {
        var notes = [orderNote]
        if !unjudged.isEmpty {
            notes.append(
                "\(unjudged.count) \(unjudged.count == 1 ? "row was" : "rows were") not judged: a change "
                    + "needs \(ChangePointRule.shortestSeries) commits that have the row.")
        }
        if !history.leftOut.isEmpty {
            notes.append(
                "Left out: "
                    + history.leftOut.map { "\(escaped($0.name)), since \(escaped($0.reason))" }
                    .joined(separator: "; ") + ".")
        }
        let unknown = history.commits.filter { $0.conditions == nil }.count
        if unknown > 0 {
            notes.append(
                "\(unknown) of \(history.commits.count) files do not say what they were counted with, so "
                    + "a new SQLite or Swift may look like a change of the code.")
        }
        return notes + [
            "Times are left out: stored times of two commits are from two states of a machine. A time "
                + "is judged by its ratio to C in the same run, or by a gate."
        ]
    }

    private var orderNote: String {
        let names = [history.commits.first, history.commits.last].compactMap { $0?.title }
        let range = "From \(names.map(escaped).joined(separator: " to ")), ordered by "
        switch history.order {
        case .commitDates: return range + "the dates of the commits."
        case .dates(let names):
            return range + "the dates of the commits, or of the measurement where that is unknown "
                + "(\(Self.some(names)))."
        case .names(let names):
            return range + "name, since dates are unknown (\(Self.some(names)))."
        }
    }

    private static func some(_ names: [String]) -> String {
        names.count < 4 ? names.map(escaped).listed : "\(names.count) files"
    }
}

/// "2026-11-28".
private func day(_ date: Date) -> String { String(date.ISO8601Format().prefix(10)) }

extension Trend.Change {
    /// "✗" for a change for the worse.
    var mark: String { isOfCode ? isWorse ? "✗" : "✓" : "?" }

    /// "+3 %", or "–" from 0.
    var share: String {
        point.before == 0 ? "–" : signedPercent(point.after / point.before - 1, digits: 1)
    }

    /// What else may have changed it.
    var remark: String {
        let missing =
            gap == 0
            ? []
            : ["or at one of \(gap) \(gap == 1 ? "commit" : "commits") before it without the row"]
        return (conditions.map(escaped) + missing).joined(separator: "; ")
    }
}
