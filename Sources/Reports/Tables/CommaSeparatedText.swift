import Measuring
import RunRecords

/// Rows in the format of RFC 4180: lines end in CR LF; a field with a comma, quote or line break is
/// quoted, with its quotes doubled.
struct CommaSeparatedText {
    private(set) var text = ""

    init(_ columns: [TableColumn], _ rows: [[String]]) {
        append(columns.map(\.name))
        for row in rows { append(row) }
    }

    private mutating func append(_ fields: [String]) {
        let quoted = fields.map { field in
            let isPlain = !field.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
            return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
        }
        text += quoted.joined(separator: ",") + "\r\n"
    }

    /// Whole numbers without a point, others with all digits needed to read them back; empty for
    /// `nil`.
    static func number(_ value: Double?) -> String {
        guard let value else { return "" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
