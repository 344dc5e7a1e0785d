import Foundation

/// How steady the machine was while something was measured: equal pieces of work, each against the
/// median of its kind.
struct NoisePlot {
    struct Series {
        /// What was done again and again.
        var label: String
        /// Of the palette.
        var colour: Int
        var points: [(seconds: Double, value: Double)]

        fileprivate var relative: [(seconds: Double, value: Double)] {
            guard let middle = Statistics.median(points.map(\.value)), middle > 0 else { return [] }
            return points.map { ($0.seconds, $0.value / middle) }
        }
    }

    var title: String
    var series: [Series]

    var chart: Chart {
        let values = series.flatMap { $0.relative.map(\.value) }.filter { $0 > 0 }
        let end = series.flatMap { $0.points.map(\.seconds) }.max() ?? 0
        let frame = Frame(left: 66, top: 30, right: Chart.width - 8, bottom: 160)
        let unit = end < 120 ? (name: "seconds", seconds: 1.0) : (name: "minutes", seconds: 60)
        let across = Scale(
            .linear, 0...max(end / unit.seconds, 1), from: frame.left, to: frame.right)
        let up = Scale(
            .logarithmic, min(values.min() ?? 1, 0.8)...max(values.max() ?? 1, 1.5),
            from: frame.bottom, to: frame.top)
        let ratio = Axis(up, title: "÷ its median, log scale") { "\(fixed($0, $0 < 1 ? 1 : 0))×" }
        let time = Axis(across, title: "\(unit.name) since the first") { fixed($0, 0) }
        let dots = series.flatMap { series in
            series.relative.map { point in
                Mark.dot(
                    Point(x: across(point.seconds / unit.seconds), y: up(point.value)), radius: 2.5,
                    "s\(series.colour) dot sample", title: "\(fixed(point.value, 2))×")
            }
        }
        return Chart(
            title: title, summary: series.map(\.summary).joined(separator: "; "),
            height: frame.bottom + 62,
            marks: ratio.vertical(frame) + time.horizontal(frame) + dots
                + legend(y: frame.bottom + 54))
    }

    private func legend(y: Double) -> [Markup] {
        var x = 66.0
        return series.flatMap { series -> [Markup] in
            defer { x += labelWidth(series.label, size: 11) + 40 }
            return [
                Mark.dot(Point(x: x + 6, y: y - 4), radius: 4, "s\(series.colour) dot"),
                Mark.text(series.label, at: Point(x: x + 16, y: y), .start, "tick"),
            ]
        }
    }
}

extension NoisePlot.Series {
    /// How often it took much longer than usual.
    fileprivate var summary: String {
        let slow = relative.count { $0.value > 1.5 }
        let longest = relative.map(\.value).max() ?? 1
        return "\(label): \(slow) of \(points.count) took more than 1.5 times the median, "
            + "the longest \(fixed(longest, 1)) times"
    }
}

extension NoisePlot {
    /// Nil where nothing was read.
    init?(_ readings: [NoiseReading]) {
        guard readings.count > 1 else { return nil }
        let syncs = readings.compactMap { reading in
            reading.syncSeconds.map { (seconds: reading.seconds, value: $0) }
        }
        self.init(
            title: "Noise of the machine",
            series: [
                Series(
                    label: "a piece of arithmetic and memory work", colour: 0,
                    points: readings.map { ($0.seconds, $0.canarySeconds) }),
                Series(label: "a page to the disk", colour: 1, points: syncs),
            ].filter { !$0.points.isEmpty })
    }

    /// From the canaries that a run's samples carry; nil where they have none.
    init?(_ run: Run) {
        let points = run.workloads.flatMap(\.cells).flatMap(\.samples)
            .compactMap { sample in
                sample[.canary].map { (seconds: sample.startedAtSeconds, value: $0) }
            }
        guard points.count > 1 else { return nil }
        self.init(
            title: "Noise of the machine",
            series: [
                Series(label: "a piece of arithmetic and memory work", colour: 0, points: points)
            ])
    }

    /// With what to see in it.
    var figure: Markup {
        .figure(
            chart,
            "**Equal work beside every sample.** Whatever its time does, the machine did. Nothing "
                + "is left out for it.")
    }
}
