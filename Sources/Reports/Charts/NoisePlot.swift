import Foundation
import Measuring
import RunRecords

/// How steady the machine was during a measurement: equal pieces of work, each relative to the
/// median of its kind.
struct NoisePlot {
    struct Series {
        /// The piece of work that was repeated.
        var label: String
        /// Its index in the palette.
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
        let ratio = Axis(up, title: "time ÷ its median, log scale") { "\(place($0))×" }
        let time = Axis(across, title: "\(unit.name) since the first reading") { fixed($0, 0) }
        let marks = series.flatMap { series in
            series.columns.flatMap { column -> [Markup] in
                let x = across(column.seconds / unit.seconds)
                let style = "s\(series.colour)"
                return [
                    Mark.line(
                        from: Point(x: x, y: up(column.lowest)),
                        to: Point(x: x, y: up(column.highest)), "\(style) line sample"),
                    Mark.dot(
                        Point(x: x, y: up(column.middle)), radius: 2.5, "\(style) dot",
                        title: "\(fixed(column.middle, 2))×"),
                ]
            }
        }
        return Chart(
            title: title, summary: series.map(\.summary).joined(separator: "; "),
            height: frame.bottom + 62,
            marks: ratio.vertical(frame) + time.horizontal(frame) + marks
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
    /// Merges neighbours, so that a long run does not make a large file.
    fileprivate var columns: [(seconds: Double, lowest: Double, middle: Double, highest: Double)] {
        let all = relative.filter { $0.value > 0 }
        let width = max((all.count + Self.columnCountMax - 1) / Self.columnCountMax, 1)
        return stride(from: 0, to: all.count, by: width).compactMap { start in
            let part = all[start..<min(start + width, all.count)]
            let values = part.map(\.value)
            guard let middle = Statistics.median(values), let lowest = values.min(),
                let highest = values.max()
            else { return nil }
            return (part[start].seconds, lowest, middle, highest)
        }
    }

    private static let columnCountMax = 160

    /// How often it took much longer than usual.
    fileprivate var summary: String {
        let slow = relative.count { $0.value > 1.5 }
        let longest = relative.map(\.value).max() ?? 1
        return "\(label): \(slow) of \(points.count) took more than 1.5 times the median, "
            + "the longest \(fixed(longest, 1)) times"
    }
}

extension NoisePlot {
    /// `nil` with fewer than two readings.
    init?(_ readings: [NoiseReading]) {
        guard readings.count > 1 else { return nil }
        let syncs = readings.compactMap { reading in
            reading.syncSeconds.map { (seconds: reading.seconds, value: $0) }
        }
        self.init(
            title: "Noise of the machine",
            series: [
                Series(
                    label: "fixed arithmetic and memory work", colour: 0,
                    points: readings.map { ($0.seconds, $0.canarySeconds) }),
                Series(label: "one page synced to the disk", colour: 1, points: syncs),
            ].filter { !$0.points.isEmpty })
    }

    /// One for each machine of a run.
    static func all(of run: Run) -> [NoisePlot] { run.machines.compactMap { NoisePlot($0) } }

    /// From the canaries in a machine's samples; `nil` with fewer than two.
    private init?(_ machine: Run.Machine) {
        let points = machine.cells.flatMap(\.samples)
            .compactMap { sample in
                sample[.canary].map { (seconds: sample.startedAtSeconds, value: $0) }
            }
        guard points.count > 1 else { return nil }
        self.init(
            title: "Noise of the machine" + (machine.shard.map { " of shard \($0)" } ?? ""),
            series: [
                Series(label: "fixed arithmetic and memory work", colour: 0, points: points)
            ])
    }

    /// The plot with its explanation.
    var figure: Markup {
        .figure(
            chart.markup,
            "**The same fixed work, timed beside every sample.** If its time changes, the machine "
                + "changed, not the code. No sample is left out for it.")
    }
}
