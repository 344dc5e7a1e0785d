/// Rows over time, a line each, with the places where they changed.
struct Sparklines {
    var title: String
    var rows: [HistorySeries]

    private static let rowHeight = 30.0

    var chart: Chart {
        let labels = rows.map { "\($0.cell) \($0.metric.title)" }
        let labelColumn = min(labels.map { labelWidth($0) }.max() ?? 0, 420) + 14
        let texts = rows.map { row in
            row.points.last.map { row.metric.unit.format($0.value) } ?? ""
        }
        let textColumn = (texts.map { labelWidth($0) }.max() ?? 0) + 16
        let right = Chart.width - textColumn
        let marks = rows.indices.flatMap { index -> [Markup] in
            let top = 6 + Self.rowHeight * Double(index)
            let frame = Frame(
                left: labelColumn, top: top + 5, right: right, bottom: top + Self.rowHeight - 5)
            let middle = top + Self.rowHeight / 2 + 4
            return [
                Mark.text(labels[index], at: Point(x: frame.left - 14, y: middle), .end),
                Mark.text(texts[index], at: Point(x: right + 12, y: middle), .start, "value"),
            ] + line(of: rows[index], in: frame)
        }
        return Chart(
            title: title,
            summary: zip(labels, rows).map { "\($0): \($1.story)" }.joined(separator: "; "),
            height: 12 + Self.rowHeight * Double(rows.count), marks: marks)
    }

    /// From the lowest value to the highest, since the place of 0 would hide what changes.
    private func line(of series: HistorySeries, in frame: Frame) -> [Markup] {
        let values = series.points.map(\.value)
        guard let lowest = values.min(), let highest = values.max() else { return [] }
        let across = Scale(
            .linear, 0...Double(max(values.count - 1, 1)), from: frame.left + 4,
            to: frame.right - 4)
        let up = Scale(.linear, lowest...highest, from: frame.bottom, to: frame.top)
        let points = values.enumerated().map { Point(x: across(Double($0)), y: up($1)) }
        let changes = series.changes.flatMap { change -> [Markup] in
            let point = points[change.index]
            let run = series.points[change.index]
            let values = [change.before, change.after].map(series.metric.unit.format)
            return [
                Mark.line(
                    from: Point(x: point.x, y: frame.top - 3),
                    to: Point(x: point.x, y: frame.bottom + 3), "event"),
                Mark.dot(
                    point, radius: 3.5, "s1 dot",
                    title: "\(run.commit ?? run.run): \(values.joined(separator: " → "))"),
            ]
        }
        return [Mark.path(points, "s0 line")] + changes
            + (points.last.map { [Mark.dot($0, radius: 2.5, "s0 dot")] } ?? [])
    }
}

extension HistorySeries {
    /// Its length and its changes, in words.
    fileprivate var story: String {
        let changes = changes.map { change in
            let values = [change.before, change.after].map(metric.unit.format)
            return "\(values.joined(separator: " to ")) at \(points[change.index].run)"
        }
        let length = "\(points.count) \(points.count == 1 ? "run" : "runs")"
        return changes.isEmpty
            ? "\(length), no change" : "\(length), changed from \(changes.joined(separator: ", "))"
    }
}
