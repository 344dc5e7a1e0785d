import Measuring
import RunRecords

/// Ratios with their intervals, one line each, on a logarithmic axis. Names and figures are text
/// beside the lines, so that they wrap and keep their size on a phone.
struct ForestPlot {
    /// The two sides of the ratio.
    var axisTitle: String
    var groups: [Group]
    var labels: Labels

    /// Rows under one heading.
    struct Group {
        var heading: String
        var rows: [Row]
    }

    struct Row {
        var label: String
        var ratio: Double
        /// `nil` with too few pairs.
        var interval: ClosedRange<Double>?
        /// The grey band covers differences up to this share; `nil` for no band.
        var unseen: Double?
        var style: Style
        /// The text at the right, such as the verdict.
        var text: String
    }

    /// How a row is drawn, depending on the finding.
    enum Style: String {
        case better, worse, same, unclear
        /// A difference in which neither side is better.
        case known
    }

    /// How the axis labels ratios: "1.5×" or "+50 %".
    enum Labels {
        case factors, percentages
    }

    var markup: Markup {
        // In percent of the width, which is unknown here.
        let scale = Scale(.logarithmic, domain, from: 3, to: 97)
        let ticks = Scale(.logarithmic, domain, from: 0, to: 330).ticks(gap: 58)
        let rows = groups.flatMap { group in
            [Markup.element("p", ["class": "heading"], group.heading)]
                + group.rows.map { row($0, scale, ticks) }
        }
        return .element("div", ["class": "forest"], rows + [axis(scale, ticks)])
    }

    private var domain: ClosedRange<Double> {
        let values = groups.flatMap(\.rows).flatMap { row -> [Double] in
            let unseen = min(row.unseen ?? 0, 1)
            return [
                row.ratio, row.interval?.lowerBound, row.interval?.upperBound, 1 + unseen,
                1 / (1 + unseen),
            ].compactMap(\.self)
        }
        return min(values.min() ?? 1, 0.98) / 1.01...max(values.max() ?? 1, 1.02) * 1.01
    }

    private func row(_ row: Row, _ scale: Scale, _ ticks: [Double]) -> Markup {
        func x(_ ratio: Double) -> String { "\(place(scale.clamped(ratio)))%" }
        func line(_ from: Double, _ to: Double, _ style: String, y: (String, String)) -> Markup {
            .element("line", ["class": style, "x1": x(from), "x2": x(to), "y1": y.0, "y2": y.1])
        }
        var marks = ticks.map { line($0, $0, "grid", y: ("0", "100%")) }
        if let unseen = row.unseen {
            let left = scale.clamped(1 / (1 + unseen))
            let width = scale.clamped(1 + unseen) - left
            marks.append(
                .element(
                    "rect",
                    [
                        "class": "unseen", "x": "\(place(left))%", "width": "\(place(width))%",
                        "y": "4", "height": "18",
                    ]))
        }
        marks.append(line(1, 1, "zero", y: ("0", "100%")))
        if let interval = row.interval {
            marks.append(
                line(
                    interval.lowerBound, interval.upperBound, "interval \(row.style)",
                    y: ("13", "13")))
        }
        marks.append(
            .element(
                "circle",
                ["class": "estimate \(row.style)", "cx": x(row.ratio), "cy": "13", "r": "5"]))
        return .element(
            "div", ["class": "row"],
            [
                .element("span", [:], row.label),
                .element("svg", ["aria-hidden": "true"], marks),
                .element("span", ["class": "value \(row.style)"], keepingUnits(row.text)),
            ])
    }

    private func axis(_ scale: Scale, _ ticks: [Double]) -> Markup {
        let texts = ticks.map { tick in
            let text =
                switch labels {
                case .factors: MetricUnit.ratio.formatTick(tick)
                case .percentages: signedPercent(tick - 1, digits: nil)
                }
            return Markup.element(
                "text", ["class": "tick middle", "x": "\(place(scale(tick)))%", "y": "14"], text)
        }
        return .element(
            "div", ["class": "row axis"],
            [
                .element("span", [:], ""), .element("svg", ["aria-hidden": "true"], texts),
                .element("span", ["class": "muted"], axisTitle),
            ])
    }
}
