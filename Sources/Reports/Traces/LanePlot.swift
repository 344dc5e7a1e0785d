import Measuring
import RunRecords

/// What each queue did around the longest stall, as lanes one above the other. The main queue is the
/// thick lane.
struct LanePlot {
    private static let mainHeight = 30.0
    private static let otherHeight = 12.0
    private static let nameHeight = 15.0
    private static let gap = 4.0
    /// A frame at 60 Hz.
    static let frameSeconds = 1.0 / 60

    private let sample: TracedSample
    private let width: Double

    init(_ sample: TracedSample, width: Double) {
        self.sample = sample
        self.width = width
    }

    var chart: Chart {
        var bottom = 22.0
        let tops = sample.lanes.indices.map { index in
            defer { bottom += Self.nameHeight + Self.height(ofLane: index) + Self.gap }
            return bottom + Self.nameHeight
        }
        let frame = Frame(left: 8, top: 22, right: width - 8, bottom: bottom)
        let seconds = sample.shown.upperBound - sample.shown.lowerBound
        let across = Scale(.linear, 0...(seconds * 1_000), from: frame.left, to: frame.right)
        var marks = Axis(across, title: "milliseconds") { fixed($0, 0) }.horizontal(frame)
        for (index, (lane, top)) in zip(sample.lanes, tops).enumerated() {
            marks.append(
                Mark.text(
                    lane.name, at: Point(x: frame.left, y: top - 3), .start,
                    index == 0 ? "label" : "tick"))
            marks += lane.segments.map {
                draw(
                    $0, across, top: top, height: Self.height(ofLane: index), isMain: index == 0)
            }
        }
        return Chart(
            title: "What the queues of \(sample.subject) did", summary: summary,
            width: width, height: frame.bottom + 44,
            marks: marks + stall(across, frame) + handingOver(across, tops))
    }

    private static func height(ofLane index: Int) -> Double {
        index == 0 ? mainHeight : otherHeight
    }

    /// A dashed line from where the work of the longest stall was handed over to its begin.
    private func handingOver(_ across: Scale, _ tops: [Double]) -> [Markup] {
        guard let stall = sample.stalls.first, let origin = stall.handedOver,
            let lane = sample.lanes.firstIndex(where: { $0.name == origin.lane }), lane > 0,
            sample.shown.contains(origin.seconds), sample.shown.contains(stall.startSeconds)
        else { return [] }
        let start = Point(x: place(origin.seconds, across), y: tops[lane])
        let end = Point(x: place(stall.startSeconds, across), y: tops[0] + Self.mainHeight)
        return [
            Mark.line(from: start, to: end, "handed"), Mark.dot(start, radius: 2, "tip"),
            Mark.dot(
                end, radius: 3, "tip", title: sample.giver(of: stall).map { "handed over by \($0)" }
            ),
        ]
    }

    private func draw(
        _ segment: TracedSample.Lane.Segment, _ across: Scale, top: Double, height: Double,
        isMain: Bool
    ) -> Markup {
        let start = max(segment.startSeconds, sample.shown.lowerBound)
        let end = min(segment.startSeconds + segment.seconds, sample.shown.upperBound)
        let (from, to) = (place(start, across), place(end, across))
        let title = "\(segment.kind.label): \(MetricUnit.seconds.format(segment.seconds))"
        return Mark.rectangle(
            Frame(left: from, top: top, right: max(to, from + 0.5), bottom: top + height),
            isMain ? segment.kind.style : "\(segment.kind.style) faint", title: title)
    }

    private func place(_ seconds: Double, _ across: Scale) -> Double {
        across((seconds - sample.shown.lowerBound) * 1_000)
    }

    /// A bracket over the longest stall, and the length of a frame for comparison.
    private func stall(_ across: Scale, _ frame: Frame) -> [Markup] {
        guard let stall = sample.stalls.first else { return [] }
        let from = place(max(stall.startSeconds, sample.shown.lowerBound), across)
        let to = place(
            min(stall.startSeconds + stall.seconds, sample.shown.upperBound), across)
        let text = "longest stall \(MetricUnit.seconds.format(stall.seconds))"
        let y = frame.top - 3
        let textStart = max(frame.left, min(from, frame.right - labelWidth(text, size: 11)))
        return [
            Mark.line(from: Point(x: from, y: y), to: Point(x: max(to, from + 1), y: y), "zero"),
            Mark.text(text, at: Point(x: textStart, y: y - 5), .start, "tick"),
            Mark.line(
                from: Point(x: frame.left, y: frame.bottom + 38),
                to: Point(
                    x: place(sample.shown.lowerBound + Self.frameSeconds, across),
                    y: frame.bottom + 38), "zero"),
            Mark.text(
                "a frame",
                at: Point(
                    x: place(sample.shown.lowerBound + Self.frameSeconds, across) + 6,
                    y: frame.bottom + 42), .start, "tick"),
        ]
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
