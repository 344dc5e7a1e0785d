import Foundation

/// Lines for a terminal with aligned columns.
public struct AlignedLines: Sendable, CustomStringConvertible {
    private var rows: [[String]]

    public init(_ rows: [[String]] = []) {
        self.rows = rows
    }

    public mutating func append(_ row: [String]) {
        rows.append(row)
    }

    public var description: String {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }
}
