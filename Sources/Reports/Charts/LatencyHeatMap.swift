import Foundation
import Measuring
import RunRecords

/// Latency over time: darker means more operations. Events are marked below.
struct LatencyHeatMap {
    var title: String
    var timeline: LatencyTimeline

    private static let columnCountMax = 96
    private static let laneHeight = 18.0
    /// Classes of density; `d0` is the faintest.
    private static let densities = 6

    /// The latencies of neighbouring intervals, merged so that a long phase fits.
    private struct Column {
        var latencies: [LatencyBuckets.Entry]
    }

    var chart: Chart {
        let merged = max(
            1, (timeline.intervals.count + Self.columnCountMax - 1) / Self.columnCountMax)
        let columns = stride(from: 0, to: timeline.intervals.count, by: merged).map { start in
            Column(
                latencies: timeline.intervals[start..<min(start + merged, timeline.intervals.count)]
                    .flatMap(\.entries))
        }
        let seconds = timeline.intervalSeconds * Double(merged * columns.count)
        let values = columns.flatMap { $0.latencies.map { Double(max($0.nanoseconds, 1)) } }
        let lanes = timeline.marks.map(\.name).uniqued
        let laneLabel = lanes.map { labelWidth($0, size: 11) }.max() ?? 0
        let frame = Frame(
            left: max(66, laneLabel + 12), top: 30, right: Chart.width - 8, bottom: 210)
        let across = Scale(.linear, 0...max(seconds, 1e-9), from: frame.left, to: frame.right)
        let up = Scale(
            .logarithmic, (values.min() ?? 1) / 1.3...(values.max() ?? 10) * 1.3,
            from: frame.bottom, to: frame.top)
        let bottom = frame.bottom + Double(lanes.count) * Self.laneHeight
        var lowered = frame
        lowered.bottom = bottom
        let latencies = Axis(up, title: "latency, log scale", unit: .nanoseconds)
        let time = Axis(across, title: "time since the phase began", unit: .seconds)
        let events = lanes.enumerated().flatMap { place, name in
            lane(name, y: frame.bottom + (Double(place) + 0.5) * Self.laneHeight, across)
        }
        let width = seconds / Double(max(columns.count, 1))
        return Chart(
            title: title, summary: summary(columns, seconds), height: bottom + 40,
            marks: latencies.vertical(frame) + time.horizontal(lowered)
                + cells(columns, across, up, width: width) + events)
    }

    /// One path for each density, and one box for equal neighbours: thousands of rectangles would
    /// make the file too large.
    private func cells(
        _ columns: [Column], _ across: Scale, _ up: Scale, width: Double
    ) -> [Markup] {
        let rowHeight = 6.0
        var paths = [String](repeating: "", count: Self.densities)
        let boxes = columns.map { column in
            column.latencies.reduce(into: [Int: UInt64]()) { boxes, entry in
                let y = up.clamped(Double(max(entry.nanoseconds, 1)))
                boxes[Int((y - up.end) / rowHeight), default: 0] += entry.count
            }
        }
        let most = Double(boxes.flatMap(\.values).max() ?? 1)
        for (index, column) in boxes.enumerated() {
            let left = place(across(Double(index) * width))
            let right = place(across(Double(index + 1) * width))
            let densities = column.mapValues { count in
                let share = most > 1 ? log(Double(count)) / log(most) : 1
                return min(Int(share * Double(Self.densities)), Self.densities - 1)
            }
            var start = 0
            for (row, density) in densities.sorted(by: { $0.key < $1.key }) {
                if densities[row - 1] != density { start = row }
                guard densities[row + 1] != density else { continue }
                let top = up.end + Double(start) * rowHeight
                let bottom = up.end + Double(row + 1) * rowHeight
                paths[density] += "M\(left) \(place(top))H\(right)V\(place(bottom))H\(left)Z"
            }
        }
        return paths.enumerated().compactMap { density, path in
            path.isEmpty ? nil : .element("path", ["class": "density d\(density)", "d": path])
        }
    }

    private func lane(_ name: String, y: Double, _ across: Scale) -> [Markup] {
        let label = Mark.text(name, at: Point(x: across.start - 8, y: y + 4), .end, "tick")
        let marks = timeline.marks.filter { $0.name == name }
        // One mark for each pixel: thousands of merges look like a bar anyway.
        let places = Set(marks.map { across.clamped($0.seconds).rounded() }).sorted()
        let ticks = places.map {
            "M\(place($0)) \(place(y - 6))V\(place(y + 6))"
        }.joined()
        return [label, .element("path", ["class": "event", "d": ticks])]
    }

    private func summary(_ columns: [Column], _ seconds: Double) -> String {
        let longest = columns.enumerated().compactMap { index, column in
            column.latencies.map(\.nanoseconds).max().map { (index: index, nanoseconds: $0) }
        }.max { $0.nanoseconds < $1.nanoseconds }
        let counts = timeline.marks.map(\.name).uniqued.map { name in
            "\(timeline.marks.count { $0.name == name }) × \(name)"
        }
        let worst = longest.map { longest in
            let at = Double(longest.index) / Double(columns.count) * seconds
            return
                "the longest latency was \(MetricUnit.nanoseconds.format(Double(longest.nanoseconds)))"
                + ", after \(MetricUnit.seconds.format(at))"
        }
        return ([worst].compactMap(\.self) + counts).joined(separator: "; ")
    }
}
