import Measuring
import RunRecords

/// What each queue did around the longest stall, as lanes one above the other.
struct LanePlot {
    private static let laneHeight = 22.0
    private static let laneGap = 10.0

    private let sample: TracedSample

    init(_ sample: TracedSample) { self.sample = sample }

    var chart: Chart {
        let lanes = sample.lanes
        let step = Self.laneHeight + Self.laneGap
        let longestName = lanes.map { labelWidth($0.name) }.max() ?? 0
        let frame = Frame(
            left: min(160, longestName + 12), top: 14, right: Chart.width - 8,
            bottom: 14 + step * Double(max(lanes.count, 1)))
        let milliseconds = 0...((sample.shown.upperBound - sample.shown.lowerBound) * 1_000)
        let across = Scale(.linear, milliseconds, from: frame.left, to: frame.right)
        let time = Axis(across, title: "milliseconds") { fixed($0, 0) }
        let legend = KindLegend(lanes.flatMap(\.segments).map(\.kind))
        var marks = time.horizontal(frame)
        for (index, lane) in lanes.enumerated() {
            let top = frame.top + Double(index) * step
            marks.append(
                Mark.text(
                    lane.name, at: Point(x: frame.left - 8, y: top + Self.laneHeight / 2 + 4), .end)
            )
            marks += lane.segments.map { segment(of: $0, across, top: top) }
        }
        return Chart(
            title: "What the queues of \(sample.subject) did", summary: summary,
            height: frame.bottom + 62 + legend.height,
            marks: marks + legend.marks(from: frame.bottom + 54))
    }

    private func segment(
        of segment: TracedSample.Lane.Segment, _ across: Scale, top: Double
    ) -> Markup {
        let start = max(segment.startSeconds, sample.shown.lowerBound)
        let end = min(segment.startSeconds + segment.seconds, sample.shown.upperBound)
        let place = { (seconds: Double) in across((seconds - sample.shown.lowerBound) * 1_000) }
        return Mark.rectangle(
            Frame(
                left: place(start), top: top, right: max(place(end), place(start) + 0.5),
                bottom: top + Self.laneHeight),
            segment.kind.style,
            title: "\(segment.kind.label): \(MetricUnit.seconds.format(segment.seconds))")
    }

    private var summary: String {
        sample.lanes.map { lane in
            let seconds = Dictionary(grouping: lane.segments, by: \.kind).mapValues { segments in
                segments.reduce(0) { $0 + $1.seconds }
            }
            let parts = seconds.sorted { ($0.value, $0.key.rawValue) > ($1.value, $1.key.rawValue) }
                .map { "\($0.key.label) \(MetricUnit.seconds.format($0.value))" }
            return "\(lane.name): \(parts.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
