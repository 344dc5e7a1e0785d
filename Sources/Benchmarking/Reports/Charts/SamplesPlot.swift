/// Every sample as a dot, with the median and its interval: a row for each subject.
struct SamplesPlot {
    var title: String
    var metric: Metric
    var groups: [Group]

    struct Group {
        var heading: String?
        var rows: [Row]
    }

    struct Row {
        var label: String
        /// Of the palette.
        var colour: Int
        /// In the order in which they were taken.
        var values: [Double]
    }

    private static let rowHeight = 28.0
    private static let headingHeight = 28.0

    var chart: Chart {
        let rows = groups.flatMap(\.rows)
        let values = rows.flatMap(\.values)
        let texts = rows.map { metric.unit.formatMedian($0.values) ?? "" }
        let labelColumn = min(rows.map { labelWidth($0.label) }.max() ?? 0, 300) + 14
        let textColumn = (texts.map { labelWidth($0) }.max() ?? 0) + 12
        let height = groups.reduce(0) {
            $0 + Self.rowHeight * Double($1.rows.count)
                + ($1.heading == nil ? 0 : Self.headingHeight)
        }
        let frame = Frame(
            left: labelColumn, top: 6, right: Chart.width - textColumn, bottom: 6 + height)
        let scale = Self.scale(values, frame)
        let title = scale.kind == .logarithmic ? "\(metric.title), log scale" : metric.title
        return Chart(
            title: self.title,
            summary: zip(rows, texts).map { "\($0.label): \($1)" }.joined(separator: "; "),
            height: frame.bottom + 40,
            marks: Axis(scale, title: title, unit: metric.unit).horizontal(frame)
                + marks(in: frame, scale))
    }

    /// From 0 unless the samples lie close together; logarithmic where the largest is more than ten
    /// times the smallest.
    private static func scale(_ values: [Double], _ frame: Frame) -> Scale {
        let highest = values.max() ?? 1
        let lowest = values.min() ?? 0
        let (start, end) = (frame.left + 8, frame.right - 8)
        if lowest > 0, highest > lowest * 10 {
            return Scale(.logarithmic, lowest / 1.1...highest * 1.1, from: start, to: end)
        }
        let margin = (highest - lowest) * 0.05
        let isClose = lowest > highest / 2
        return Scale(
            .linear, (isClose ? lowest - margin : min(lowest, 0))...highest + margin, from: start,
            to: end)
    }

    private func marks(in frame: Frame, _ scale: Scale) -> [Markup] {
        var y = frame.top
        return groups.flatMap { group -> [Markup] in
            var marks: [Markup] = []
            if let heading = group.heading {
                y += Self.headingHeight
                marks.append(Mark.text(heading, at: Point(x: 0, y: y - 8), .start, "heading"))
            }
            return marks
                + group.rows.flatMap { row -> [Markup] in
                    y += Self.rowHeight
                    return self.marks(of: row, at: y - Self.rowHeight / 2, in: frame, scale)
                }
        }
    }

    private func marks(of row: Row, at y: Double, in frame: Frame, _ scale: Scale) -> [Markup] {
        guard let median = Statistics.median(row.values) else { return [] }
        var marks = [
            Mark.text(row.label, at: Point(x: frame.left - 14, y: y + 4), .end),
            Mark.text(
                metric.unit.formatMedian(row.values) ?? "",
                at: Point(x: frame.right + 12, y: y + 4), .start, "value"),
        ]
        if let interval = Statistics.medianInterval(row.values) {
            let box = Frame(
                left: scale(interval.lower), top: y - 8, right: scale(interval.upper),
                bottom: y + 8)
            marks.append(Mark.rectangle(box, "s\(row.colour) band"))
        }
        marks.append(
            Mark.line(
                from: Point(x: scale(median), y: y - 10), to: Point(x: scale(median), y: y + 10),
                "s\(row.colour) line"))
        // A little below each other, in the order of rounds, so that equal ones can be told apart.
        return marks
            + row.values.enumerated().map { index, value in
                let offset = Double(index % 5 - 2) * 2.5
                return Mark.dot(
                    Point(x: scale(value), y: y + offset), radius: 2.5,
                    "s\(row.colour) dot sample",
                    title: "\(row.label), sample \(index + 1): \(metric.unit.format(value))")
            }
    }
}
