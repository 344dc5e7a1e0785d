/// A table whose columns are aligned in the source too, so that it reads well unrendered.
struct MarkdownTable {
    enum Alignment {
        case left, right
    }

    private var columns: [(title: String, alignment: Alignment)] = []
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns.map { (Self.oneLine($0.title), $0.alignment) }
    }

    /// - Precondition: as many cells as there are columns.
    mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "a row must have a cell for each column")
        rows.append(cells.map(Self.oneLine))
    }

    var text: String {
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

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

/// The text with the characters disarmed that Markdown would take for markup.
func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
        if "\\`*<|".contains(character) { result.append("\\") }
        result.append(character)
    }
    return result
}
