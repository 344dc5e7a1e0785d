import Foundation
import Measuring

/// In a file each count is on a line that names its cell, so that a diff shows which counts
/// changed.
extension Baseline {
    private enum Key: String, CodingKey {
        case schema, name, commit, committedAt, savedAt, conditions, counts
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        schema = try values.decode(Int.self, forKey: .schema)
        name = try values.decode(String.self, forKey: .name)
        commit = try values.decodeIfPresent(String.self, forKey: .commit)
        committedAt = try values.decodeIfPresent(Date.self, forKey: .committedAt)
        savedAt = try values.decode(Date.self, forKey: .savedAt)
        conditions = try values.decode(Conditions.self, forKey: .conditions)
        cells = Self.cells(from: try values.decode([String: Double].self, forKey: .counts))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(schema, forKey: .schema)
        try values.encode(name, forKey: .name)
        try values.encodeIfPresent(commit, forKey: .commit)
        try values.encodeIfPresent(committedAt, forKey: .committedAt)
        try values.encode(savedAt, forKey: .savedAt)
        try values.encode(conditions, forKey: .conditions)
        try values.encode(Self.lines(of: cells), forKey: .counts)
    }

    /// The counts by "workload cell metric". Identifiers of cells and names of metrics have no
    /// spaces.
    public static func lines(of cells: [Cell]) -> [String: Double] {
        cells.reduce(into: [:]) { lines, cell in
            for (metric, count) in cell.counts {
                lines["\(cell.workload) \(cell.cell) \(metric)"] = count
            }
        }
    }

    private static func cells(from lines: [String: Double]) -> [Cell] {
        let counts = lines.reduce(into: [String: [String: Double]]()) { counts, line in
            let (place, metric) = halves(of: line.key)
            counts[place, default: [:]][metric] = line.value
        }
        return counts.sorted { $0.key < $1.key }.map { place, counts in
            let (workload, cell) = halves(of: place)
            return Cell(workload: workload, cell: cell, counts: counts)
        }
    }

    /// The parts before and after the last space.
    private static func halves(of text: String) -> (String, String) {
        let space = text.lastIndex(of: " ") ?? text.startIndex
        return (String(text[..<space]), String(text[space...].dropFirst()))
    }
}
