/// One metric of several subjects as bars from 0, each with its value.
struct BarPanel {
    var metric: Metric
    var rows: [Row]

    struct Row {
        var label: String
        /// Of the palette.
        var colour: Int
        var value: Double
    }

    /// Two panels stand side by side where there is room.
    private static let width = 408.0
    private static let rowHeight = 20.0

    /// Whether all values are the same, so that there is nothing to draw.
    var isUniform: Bool { Set(rows.map(\.value)).count <= 1 }

    var chart: Chart {
        let texts = rows.map { metric.unit.format($0.value) }
        let labelColumn = (rows.map { labelWidth($0.label) }.max() ?? 0) + 10
        let textColumn = (texts.map { labelWidth($0) }.max() ?? 0) + 8
        let top = 26.0
        let highest = max(rows.map(\.value).max() ?? 1, 1e-12)
        let scale = Scale(
            .linear, 0...highest, from: labelColumn, to: Self.width - textColumn)
        let bars = zip(rows, texts).enumerated().flatMap { place, pair -> [Markup] in
            let (row, text) = pair
            let y = top + (Double(place) + 0.5) * Self.rowHeight
            let end = scale(max(row.value, 0))
            return [
                Mark.text(row.label, at: Point(x: labelColumn - 8, y: y + 4), .end),
                Mark.rectangle(
                    Frame(left: labelColumn, top: y - 7, right: end, bottom: y + 7),
                    "s\(row.colour) bar"),
                Mark.text(text, at: Point(x: end + 6, y: y + 4), .start, "value"),
            ]
        }
        return Chart(
            title: metric.title,
            summary: zip(rows, texts).map { "\($0.label): \($1)" }.joined(separator: "; "),
            width: Self.width, height: top + Self.rowHeight * Double(rows.count) + 6,
            marks: [Mark.text(metric.title.inWords, at: Point(x: 0, y: 14), .start, "heading")]
                + bars)
    }
}
