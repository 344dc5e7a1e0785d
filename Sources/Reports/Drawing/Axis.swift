import Measuring
import RunRecords

/// The grid, ticks and title of a scale along one side of a frame.
struct Axis {
    var scale: Scale
    /// With the unit, such as "time, seconds"; empty for no title.
    var title: String
    var ticks: [(value: Double, label: String)]

    init(_ scale: Scale, title: String, ticks: [(value: Double, label: String)]) {
        self.scale = scale
        self.title = title
        self.ticks = ticks
    }

    /// Round ticks, labelled as values of the unit.
    init(_ scale: Scale, title: String, unit: MetricUnit) {
        self.init(scale, title: title) { unit.formatTick($0) }
    }

    /// Round ticks with custom labels. Their distance depends on the direction of the axis.
    init(_ scale: Scale, title: String, label: (Double) -> String) {
        let isVertical = scale.start > scale.end
        self.init(
            scale, title: title,
            ticks: scale.ticks(gap: isVertical ? 26 : 52).map { ($0, label($0)) })
    }

    /// Along the bottom, with grid lines over the height of the frame.
    func horizontal(_ frame: Frame) -> [Markup] {
        var marks = ticks.flatMap { tick -> [Markup] in
            let x = scale(tick.value)
            return [
                Mark.line(
                    from: Point(x: x, y: frame.top), to: Point(x: x, y: frame.bottom), "grid"),
                Mark.text(tick.label, at: Point(x: x, y: frame.bottom + 16), .middle, "tick"),
            ]
        }
        if !title.isEmpty {
            let middle = (frame.left + frame.right) / 2
            marks.append(
                Mark.text(title, at: Point(x: middle, y: frame.bottom + 34), .middle, "axis"))
        }
        return marks
    }

    /// Along the left, with grid lines over the width of the frame. The title is above the axis, so
    /// that it is horizontal.
    func vertical(_ frame: Frame) -> [Markup] {
        var marks = ticks.flatMap { tick -> [Markup] in
            let y = scale(tick.value)
            return [
                Mark.line(
                    from: Point(x: frame.left, y: y), to: Point(x: frame.right, y: y), "grid"),
                Mark.text(tick.label, at: Point(x: frame.left - 8, y: y + 4), .end, "tick"),
            ]
        }
        if !title.isEmpty {
            marks.append(
                Mark.text(title, at: Point(x: 0, y: frame.top - 12), .start, "axis"))
        }
        return marks
    }
}

extension MetricUnit {
    /// A round value without superfluous zeros: "2 ms", not "2.00 ms".
    func formatTick(_ value: Double) -> String {
        if value.magnitude < 1e-15 { return "0" }
        if self == .count || self == .perSecond, value >= 10_000 {
            let (scaled, suffix) = value >= 1e6 ? (value / 1e6, " M") : (value / 1e3, " k")
            return short(scaled) + suffix
        }
        return format(value).replacing(/(\.\d*?)0+(?=\D|$)/) { match in
            match.1 == "." ? "" : String(match.1)
        }
    }
}

/// As many digits as the value needs, up to three.
private func short(_ value: Double) -> String {
    fixed(value, 3).replacing(/\.?0+$/, with: "")
}
