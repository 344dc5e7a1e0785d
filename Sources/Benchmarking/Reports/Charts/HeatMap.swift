/// A table of ratios, coloured by how far they are from 1: a row for each case, a column for each
/// subject.
struct HeatMap {
    var title: String
    var summary: String
    var columns: [String]
    var rows: [Row]
    /// What is divided by what, for the legend.
    var legend: String

    struct Row {
        var label: String
        /// Whether a ratio above 1 is the better one.
        var isHigherBetter = false
        var cells: [Cell]
    }

    enum Cell {
        case ratio(Double, isWinner: Bool)
        /// Did not rank: "wrong" or "failed".
        case unsound(String)
        case absent
    }

    private static let rowHeight = 34.0
    /// Upper bounds of the classes `h0`, `h1`, …; the last class has none. Ratios are symmetric
    /// around 1 on a logarithmic scale.
    private static let bounds = [0.5, 0.8, 0.95, 1.05, 1.25, 2, 4]

    var chart: Chart {
        let labelColumn = min(max(rows.map { labelWidth($0.label) }.max() ?? 0, 80) + 14, 330)
        let columnWidth = min((Chart.width - labelColumn) / Double(max(columns.count, 1)), 110)
        let widestTitle = columns.map { labelWidth($0) }.max() ?? 0
        let isSlanted = widestTitle > columnWidth - 8
        let top = isSlanted ? widestTitle * 0.6 + 22 : 26.0
        let frame = Frame(
            left: labelColumn, top: top,
            right: labelColumn + columnWidth * Double(columns.count),
            bottom: top + Self.rowHeight * Double(rows.count))
        let titles = columns.enumerated().map { index, column in
            columnTitle(
                column, x: frame.left + (Double(index) + 0.5) * columnWidth, y: top - 8,
                isSlanted: isSlanted)
        }
        // Slanted titles reach beyond the last column.
        let overhang = isSlanted ? max(0, widestTitle * 0.8 - columnWidth / 2) : 0
        return Chart(
            title: title, summary: summary,
            width: max(Chart.width, frame.right + overhang), height: frame.bottom + 52,
            marks: [Self.hatch] + titles + marks(in: frame, columnWidth) + legendMarks(frame))
    }

    private func columnTitle(_ text: String, x: Double, y: Double, isSlanted: Bool) -> Markup {
        guard isSlanted else { return Mark.text(text, at: Point(x: x, y: y), .middle) }
        return .element(
            "text",
            [
                "class": "label",
                "transform": "translate(\(place(x)) \(place(y))) rotate(-36)",
            ], text)
    }

    private func marks(in frame: Frame, _ columnWidth: Double) -> [Markup] {
        rows.enumerated().flatMap { place, row -> [Markup] in
            let top = frame.top + Double(place) * Self.rowHeight
            let baseline = top + Self.rowHeight / 2 + 4
            let label = Mark.text(row.label, at: Point(x: frame.left - 14, y: baseline), .end)
            return [label]
                + row.cells.enumerated().flatMap { column, cell -> [Markup] in
                    let left = frame.left + Double(column) * columnWidth
                    let box = Frame(
                        left: left + 1, top: top + 1, right: left + columnWidth - 1,
                        bottom: top + Self.rowHeight - 1)
                    let middle = Point(x: left + columnWidth / 2, y: baseline)
                    return marks(
                        of: cell, isHigherBetter: row.isHigherBetter, in: box, text: middle)
                }
        }
    }

    private func marks(
        of cell: Cell, isHigherBetter: Bool, in box: Frame, text point: Point
    ) -> [Markup] {
        switch cell {
        case .ratio(let ratio, let isWinner):
            let text = MetricUnit.ratio.format(ratio)
            let style = "h\(Self.colour(of: isHigherBetter ? 1 / ratio : ratio))"
            return [
                Mark.rectangle(box, isWinner ? "\(style) winner" : style),
                Mark.text(text, at: point, .middle, isWinner ? "cell best" : "cell"),
            ]
        case .unsound(let word):
            return [
                Mark.rectangle(box, "hatched"),
                Mark.text("✗ \(word)", at: point, .middle, "cell bad"),
            ]
        case .absent:
            return [
                Mark.rectangle(box, "absent"), Mark.text("–", at: point, .middle, "cell none"),
            ]
        }
    }

    private static func colour(of ratio: Double) -> Int {
        bounds.firstIndex { ratio < $0 } ?? bounds.count
    }

    private func legendMarks(_ frame: Frame) -> [Markup] {
        let width = 46.0
        let top = frame.bottom + 12
        let boxes = (0...Self.bounds.count).map { index in
            Mark.rectangle(
                Frame(
                    left: Double(index) * width, top: top, right: Double(index + 1) * width - 1,
                    bottom: top + 10), "h\(index)")
        }
        let ticks = Self.bounds.enumerated().map { index, bound in
            Mark.text(
                MetricUnit.ratio.formatTick(bound),
                at: Point(x: Double(index + 1) * width, y: top + 24), .middle, "tick")
        }
        let end = Double(Self.bounds.count + 1) * width + 14
        return boxes + ticks
            + [Mark.text(legend, at: Point(x: end, y: top + 10), .start, "tick")]
    }

    /// Lines across a cell that does not rank.
    private static let hatch = Markup.element(
        "defs", [:],
        [
            .element(
                "pattern",
                [
                    "id": "hatch", "width": "6", "height": "6", "patternUnits": "userSpaceOnUse",
                    "patternTransform": "rotate(45)",
                ], [Mark.line(from: Point(x: 0, y: 0), to: Point(x: 0, y: 6), "hatch-line")])
        ])
}
