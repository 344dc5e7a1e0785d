import Foundation
import Measuring
import RunRecords

/// Lines for a terminal with aligned columns.
public struct AlignedLines: Sendable, CustomStringConvertible {
    private var rows: [[String]]

    public init(_ rows: [[String]] = []) {
        self.rows = rows
    }

    public mutating func append(_ row: [String]) {
        rows.append(row)
    }

    public var description: String { text(width: nil) }

    /// The lines with the last cell of each broken to fit a terminal. If the other cells leave it too
    /// little space, it goes to lines of its own.
    ///
    /// - Parameter width: the terminal's; `nil` to break no line.
    public func text(width: Int?) -> String {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            let line = cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
            guard let width, line.count > width, let last = row.last else { return line }
            let start = widths.prefix(row.count - 1).reduce(0) { $0 + $1 + 2 }
            guard start + Self.narrowestText <= width else {
                let others = cells.dropLast().joined(separator: "  ")
                return others.trimmingCharacters(in: .whitespaces).wrapped(to: width, indent: 4)
                    + "\n" + "    \(last)".wrapped(to: width, indent: 4)
            }
            return String(line.dropLast(last.count))
                + last.wrapped(to: width - start).replacing(
                    "\n", with: "\n" + String(repeating: " ", count: start))
        }.joined(separator: "\n")
    }

    private static let narrowestText = 24
}
