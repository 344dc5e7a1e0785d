import Measuring
import RunRecords

extension RunChanges {
    private var changed: [Row] { rows.filter(\.hasOtherVerdict) }
    private var moved: [Row] { rows.filter(\.isMoved) }

    /// "7 of 169 findings have another verdict in 2026-11-28 and 2026-11-29, and 5 only moved; 157 are
    /// the same. 3 cannot be compared."
    var headline: String {
        let same = rows.count - changed.count - moved.count
        let count = leftOut.map(\.count).reduce(0, +)
        return "\(changed.count) of \(rows.count) findings have another verdict in "
            + "\(names.map(escaped).listed), and \(moved.count) only moved; \(same) are the same. "
            + "\(count == 0 ? "All" : "\(count)") can\(count == 0 ? "" : "not") be compared."
    }

    /// The headline, then what changed, what moved and what cannot be compared.
    ///
    /// - Parameter width: the terminal's; `nil` for any.
    public func terminalText(width: Int?) -> String {
        let tables = [changedTable, movedTable, leftOutTable].filter { !$0.isEmpty }
        return
            ([InlineText(markdown: headline).plain] + tables.map { $0.terminalText(width: width) }
            + cautions.map { $0.wrapped(to: width) }).joined(separator: "\n\n")
    }

    private var changedTable: ReportTable {
        var table = ReportTable(
            [("another verdict", .left)] + names.map { (escaped($0), .left) })
        for row in changed { table.append([escaped(row.name)] + row.findings.map(\.told)) }
        return table
    }

    private var movedTable: ReportTable {
        var table = ReportTable(
            [("only moved", .left)] + names.map { (escaped($0), .left) } + [("intervals", .left)])
        for row in moved {
            let intervals = row.intervalsOverlap.map { $0 ? "overlap" : "lie apart" } ?? "none"
            table.append([escaped(row.name)] + row.findings.map(\.told) + [intervals])
        }
        return table
    }

    private var leftOutTable: ReportTable {
        var table = ReportTable([
            ("cannot be compared", .left), ("findings", .right), ("because of", .left),
        ])
        for entry in leftOut {
            table.append([escaped(entry.group), "\(entry.count)", escaped(entry.reason)])
        }
        return table
    }

    private var cautions: [String] {
        var lines = [
            "Absolute times are not compared: they depend on the machine and the hour. Ratios within a "
                + "run do much less, but an interval holds for the hour of its run."
        ]
        if !namesWithoutOrigin.isEmpty {
            lines.append(
                "Whether data, workloads, build and processor are the same is unknown: an earlier "
                    + "version of bench wrote \(namesWithoutOrigin.listed).")
        }
        return lines
    }
}
