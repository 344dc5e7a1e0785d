import Measuring
import RunRecords

/// A table of a report, laid out once and written as Markdown or HTML.
///
/// Texts may use the markup of ``InlineText``.
public struct ReportTable {
    public enum Alignment {
        case left, right
    }

    private var columns: [(title: String, alignment: Alignment)] = []
    private var rows: [[String]] = []

    public init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns.map { (Self.oneLine($0.title), $0.alignment) }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// - Precondition: there are as many cells as columns.
    public mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row must have a cell for each column")
        rows.append(cells.map(Self.oneLine))
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

extension ReportTable {
    /// The source is aligned too, so that it reads well unrendered.
    public var markdown: String {
        let widths = columns.indices.map { index in
            max(3, columns[index].title.count, rows.map { $0[index].count }.max() ?? 0)
        }
        let rule = columns.indices.map { index in
            let dashes = String(repeating: "-", count: widths[index] - 1)
            return columns[index].alignment == .right ? dashes + ":" : dashes + "-"
        }
        let head = columns.map(\.title)
        return
            ([padded(head, widths), "| \(rule.joined(separator: " | ")) |"]
            + rows.map { padded($0, widths) }).joined(separator: "\n")
    }

    private func padded(_ cells: [String], _ widths: [Int]) -> String {
        let fields = cells.indices.map { index in
            let padding = String(repeating: " ", count: widths[index] - cells[index].count)
            return columns[index].alignment == .right
                ? padding + cells[index] : cells[index] + padding
        }
        return "| \(fields.joined(separator: " | ")) |"
    }

    /// Aligned and without markup; bold cells get a star.
    ///
    /// - Parameter width: the terminal's. If the table does not fit, each row is a list of its cells;
    ///   `nil` for a table of any width.
    public func terminalText(width: Int? = nil) -> String {
        let titles = columns.map { InlineText(markdown: $0.title).plain }
        let plain = rows.map { row in
            row.map { cell in
                InlineText(markdown: cell).plain + (cell.hasPrefix("**") ? " *" : "")
            }
        }
        let table = AlignedLines([titles] + plain).description
        guard let width, table.split(separator: "\n").contains(where: { $0.count > width }) else {
            return table
        }
        return plain.map { row in
            let cells = zip(titles, row).dropFirst().filter { !$0.1.isEmpty }.map {
                "  \($0.0): \($0.1)".wrapped(to: width, indent: 4)
            }
            return ([row[0]].filter { !$0.isEmpty } + cells).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// A table that is too wide breaks lines before intervals; if that does not suffice, it scrolls
    /// by itself.
    var markup: Markup {
        func row(_ name: String, _ cells: [String]) -> Markup {
            .element(
                "tr", [:],
                zip(cells, columns).map { cell, column in
                    .element(
                        name, column.alignment == .right ? ["class": "number"] : [:],
                        [InlineText(markdown: name == "td" ? Self.unbroken(cell) : cell).markup])
                })
        }
        let hasTitles = columns.contains { !$0.title.isEmpty }
        let head =
            hasTitles ? [Markup.element("thead", [:], [row("th", columns.map(\.title))])] : []
        let table = Markup.element(
            "table", [:], head + [.element("tbody", [:], rows.map { row("td", $0) })])
        return .element("div", ["class": "table"], [table])
    }

    /// Makes the spaces of a figure non-breaking, except before an interval, so that it keeps its
    /// unit.
    private static func unbroken(_ cell: String) -> String {
        guard cell.contains(where: \.isNumber), cell.count < 40 else { return cell }
        return cell.replacing(" ", with: "\u{a0}").replacing("\u{a0}[", with: " [")
    }
}

/// Escapes the characters that Markdown would read as markup.
public func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
        if "\\`*<|".contains(character) { result.append("\\") }
        result.append(character)
    }
    return result
}
