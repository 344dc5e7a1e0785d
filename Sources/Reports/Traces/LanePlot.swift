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
            height: frame.bottom + 62 + 18 * Double(legendRows.count - 1),
            marks: marks + legend(from: frame.bottom + 54))
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

    private var kinds: [TracedSample.Kind] {
        let drawn = Set(sample.lanes.flatMap(\.segments).map(\.kind))
        return TracedSample.Kind.allCases.filter(drawn.contains)
    }

    private var legendRows: [[TracedSample.Kind]] {
        var rows: [[TracedSample.Kind]] = [[]]
        var width = 0.0
        for kind in kinds {
            let next = labelWidth(kind.label, size: 11) + 30
            if width + next > Chart.width - 20, !rows[rows.count - 1].isEmpty {
                rows.append([])
                width = 0
            }
            rows[rows.count - 1].append(kind)
            width += next
        }
        return rows
    }

    private func legend(from y: Double) -> [Markup] {
        legendRows.enumerated().flatMap { row, kinds -> [Markup] in
            var x = 8.0
            let y = y + 18 * Double(row)
            return kinds.flatMap { kind -> [Markup] in
                defer { x += labelWidth(kind.label, size: 11) + 30 }
                return [
                    Mark.rectangle(
                        Frame(left: x, top: y - 9, right: x + 10, bottom: y + 1), kind.style),
                    Mark.text(kind.label, at: Point(x: x + 15, y: y), .start, "tick"),
                ]
            }
        }
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

extension TracedSample.Kind {
    fileprivate var label: String {
        switch self {
        case .waiting: "waiting"
        case .takingChildSave: "taking a child's save"
        case .saving: "saving"
        case .merging: "merging"
        case .reading: "making objects of rows"
        case .writing: "statements and files"
        case .telling: "telling observers"
        case .other: "other work in a block"
        }
    }

    fileprivate var style: String {
        switch self {
        case .waiting: "unseen"
        case .takingChildSave: "s1 bar"
        case .saving: "s0 bar"
        case .merging: "s2 bar"
        case .reading: "s5 bar"
        case .writing: "s4 bar"
        case .telling: "s3 bar"
        case .other: "s7 bar"
        }
    }
}
