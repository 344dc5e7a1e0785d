/// Ratios with their intervals, a line each, on a logarithmic axis, and around 1 the band in which a
/// difference would not have been seen.
struct ForestPlot {
    var title: String
    /// What is divided by what.
    var axisTitle: String
    var groups: [Group]
    var labels: Labels

    /// Rows under a heading of their own; nil for none.
    struct Group {
        var heading: String?
        var rows: [Row]
    }

    struct Row {
        var label: String
        var ratio: Double
        /// Nil where there are too few pairs for one.
        var interval: ClosedRange<Double>?
        /// Differences up to this share cannot be seen; nil for not known.
        var unseen: Double?
        var style: Style
        /// What stands at the right, such as the ratio or the verdict.
        var text: String
    }

    /// How a row is drawn: by what was found, or in the colour of its subject.
    enum Style {
        case better, worse, same, unclear
        /// Hollow where the difference is not clear.
        case subject(colour: Int, isClear: Bool)

        fileprivate var name: String {
            switch self {
            case .better: "better"
            case .worse: "worse"
            case .same: "same"
            case .unclear: "unclear"
            case .subject(let colour, let isClear):
                "s\(colour) \(isClear ? "clear" : "doubtful")"
            }
        }
    }

    /// How the axis tells ratios: "1.5×" or "+50 %".
    enum Labels {
        case factors, percentages
    }

    private static let rowHeight = 26.0
    private static let headingHeight = 28.0

    var chart: Chart {
        let rows = groups.flatMap(\.rows)
        let labelColumn = min(rows.map { labelWidth($0.label) }.max() ?? 0, 300) + 14
        // Bold where something was found.
        let textColumn = (rows.map { labelWidth($0.text, size: 13) }.max() ?? 0) + 12
        let height = groups.reduce(0) { height, group in
            height + Self.rowHeight * Double(group.rows.count)
                + (group.heading == nil ? 0 : Self.headingHeight)
        }
        let frame = Frame(
            left: labelColumn, top: 6, right: Chart.width - textColumn, bottom: 6 + height)
        let scale = Scale(.logarithmic, domain(of: rows), from: frame.left + 8, to: frame.right - 8)
        let unity = Mark.line(
            from: Point(x: scale(1), y: frame.top), to: Point(x: scale(1), y: frame.bottom),
            "zero")
        return Chart(
            title: title,
            summary: rows.map { "\($0.label): \($0.text)" }.joined(separator: "; "),
            height: frame.bottom + 40,
            marks: axis(scale).horizontal(frame) + [unity] + marks(in: frame, scale))
    }

    private func domain(of rows: [Row]) -> ClosedRange<Double> {
        let values = rows.flatMap { row -> [Double] in
            let unseen = min(row.unseen ?? 0, 1)
            return [
                row.ratio, row.interval?.lowerBound, row.interval?.upperBound, 1 + unseen,
                1 / (1 + unseen),
            ].compactMap(\.self)
        }
        let lowest = min(values.min() ?? 1, 0.98)
        let highest = max(values.max() ?? 1, 1.02)
        return lowest / 1.01...highest * 1.01
    }

    private func axis(_ scale: Scale) -> Axis {
        Axis(scale, title: axisTitle) { value in
            switch labels {
            case .factors: MetricUnit.ratio.formatTick(value)
            case .percentages: signedPercent(value - 1, digits: nil)
            }
        }
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
        var marks = [
            Mark.text(row.label, at: Point(x: frame.left - 14, y: y + 4), .end),
            Mark.text(
                row.text, at: Point(x: frame.right + 12, y: y + 4), .start,
                "value \(row.style.name)"),
        ]
        if let unseen = row.unseen {
            let band = Frame(
                left: scale.clamped(1 / (1 + unseen)), top: y - 9,
                right: scale.clamped(1 + unseen), bottom: y + 9)
            marks.append(
                Mark.rectangle(
                    band, "unseen", title: "could see \(percent(unseen)) or more"))
        }
        if let interval = row.interval {
            marks.append(
                Mark.line(
                    from: Point(x: scale.clamped(interval.lowerBound), y: y),
                    to: Point(x: scale.clamped(interval.upperBound), y: y),
                    "interval \(row.style.name)"))
        }
        marks.append(
            Mark.dot(
                Point(x: scale.clamped(row.ratio), y: y), radius: 5,
                "estimate \(row.style.name)", title: "\(row.label): \(row.text)"))
        return marks
    }
}

/// A share as "3.1 %"; whole from ten on.
func percent(_ share: Double) -> String {
    let value = share * 100
    return "\(fixed(value, abs(value) < 9.95 ? 1 : 0)) %"
}

/// A change as "+3.1 %" or "−3.1 %"; with no digits given, as many as a round value needs.
func signedPercent(_ share: Double, digits: Int?) -> String {
    let value = abs(share * 100)
    let text =
        digits.map { fixed(value, $0) } ?? fixed(value, 2).replacing(/\.?0+$/, with: "")
    if text.allSatisfy({ $0 == "0" || $0 == "." }) { return "0 %" }
    return (share < 0 ? "−" : "+") + text + " %"
}
