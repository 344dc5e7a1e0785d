import Measuring

/// A figure over the commits of a history, with the levels between its changes. The axis does not
/// begin at 0, since a change of 1 % must be visible.
struct TrendPlot {
    var title: String
    var unit: MetricUnit
    /// The name of each commit of the history.
    var commits: [String]
    /// The commits that have the figure, as indices, and their values.
    var points: [(place: Int, value: Double)]
    /// In order; each begins where the one before ends.
    var levels: [Level]

    /// A stretch without a change.
    struct Level {
        /// The first and the last commit, as indices.
        var places: ClosedRange<Int>
        var value: Double
        /// How the change at its start is drawn; `nil` for the first one.
        var style: ForestPlot.Style?
    }

    var chart: Chart {
        let frame = Frame(left: 66, top: 48, right: Chart.width - 40, bottom: 190)
        let across = Scale(
            .linear, 0...Double(max(commits.count - 1, 1)), from: frame.left + 8,
            to: frame.right - 8)
        let values = points.map(\.value)
        let (lowest, highest) = (values.min() ?? 0, values.max() ?? 1)
        let margin = (highest - lowest) * 0.08
        let up = Scale(
            .linear, (lowest - margin)...(highest + margin), from: frame.bottom, to: frame.top)
        let ends = commits.isEmpty ? [] : [0, commits.count - 1]
        let time = Axis(
            across, title: "commits, oldest first", ticks: ends.map { (Double($0), commits[$0]) })
        let figure = Axis(up, title: "not from 0", unit: unit)
        let dots = points.map { point in
            Mark.dot(
                Point(x: across(Double(point.place)), y: up(point.value)), radius: 2.5, "s0 dot",
                title: "\(commits[point.place]): \(unit.format(point.value))")
        }
        let lines = levels.map { line(of: $0, across, up) }
        return Chart(
            title: title, summary: summary, height: frame.bottom + 40,
            marks: time.horizontal(frame) + figure.vertical(frame) + lines + dots
                + changes(frame, across))
    }

    private func line(of level: Level, _ across: Scale, _ up: Scale) -> Markup {
        let ends = [level.places.lowerBound, level.places.upperBound].map {
            Point(x: across(Double($0)), y: up(level.value))
        }
        return Mark.path(ends, "s0 line")
    }

    /// A line at each change, with its commit above.
    private func changes(_ frame: Frame, _ across: Scale) -> [Markup] {
        let changed = levels.filter { $0.style != nil }
        let lines = changed.map { across(Double($0.places.lowerBound) - 0.5) }
        let width = 84.0
        let places = spread(
            lines, gap: width, within: frame.left + width / 2...frame.right - width / 2)
        return zip(changed, zip(lines, places)).flatMap { level, place -> [Markup] in
            let style = level.style?.rawValue ?? ""
            return [
                Mark.line(
                    from: Point(x: place.0, y: frame.bottom), to: Point(x: place.0, y: frame.top),
                    "estimate \(style)"),
                Mark.line(
                    from: Point(x: place.0, y: frame.top), to: Point(x: place.1, y: frame.top - 10),
                    "leader"),
                Mark.text(
                    commits[level.places.lowerBound], at: Point(x: place.1, y: frame.top - 14),
                    .middle, "tick"),
            ]
        }
    }

    private var summary: String {
        levels.map { level in
            "\(unit.format(level.value)) from \(commits[level.places.lowerBound]) to "
                + commits[level.places.upperBound]
        }.joined(separator: "; ")
    }
}
