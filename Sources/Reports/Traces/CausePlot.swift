import Measuring
import RunRecords

/// A bar for each stack: what its main queue did in its longest stall, or in all the time that it was
/// busy.
struct CausePlot {
    /// The time that a bar divides.
    enum Time {
        case longestStall, busy
    }

    private static let barHeight = 16.0
    private static let nameHeight = 16.0
    private static let rowHeight = 40.0

    private let samples: [TracedSample]
    private let time: Time
    private let width: Double

    init(_ time: Time, of samples: [TracedSample], width: Double) {
        self.time = time
        self.samples = samples
        self.width = width
    }

    /// The drawing, whose colours serve the lanes below it too.
    var chart: Chart {
        let top = time == .longestStall ? 22.0 : 8
        let frame = Frame(
            left: 8, top: top, right: width - 64,
            bottom: top + Self.rowHeight * Double(max(samples.count, 1)))
        // The axis has a frame at least, so that a shorter stall looks short.
        let least = time == .longestStall ? LanePlot.frameSeconds : 0
        let longest = max(samples.map(seconds).max() ?? 0, least)
        let across = Scale(
            .linear, 0...max(longest * 1_000, 0.001), from: frame.left, to: frame.right)
        let legend = KindLegend(
            samples.flatMap { $0.mainQueue.map(\.kind) + $0.lanes.flatMap(\.segments).map(\.kind) },
            width: width)
        let rows = samples.enumerated().flatMap { row(of: $1, at: $0, across, frame) }
        let axis = Axis(across, title: axisTitle) { fixed($0, 0) }
        return Chart(
            title: title,
            summary: samples.map(\.headline).joined(separator: " "),
            width: width, height: frame.bottom + 62 + legend.height,
            marks: axis.horizontal(frame) + rows + frameMark(across, frame)
                + legend.marks(from: frame.bottom + 54))
    }

    /// A line at the length of a frame, which a stall should not exceed.
    private func frameMark(_ across: Scale, _ frame: Frame) -> [Markup] {
        guard time == .longestStall else { return [] }
        let x = across(LanePlot.frameSeconds * 1_000)
        return [
            Mark.line(from: Point(x: x, y: frame.top), to: Point(x: x, y: frame.bottom), "zero"),
            Mark.text(
                "a frame", at: Point(x: x, y: frame.top - 4),
                x - frame.left < 20 ? .start : .middle, "tick"),
        ]
    }

    private var title: String {
        switch time {
        case .longestStall: "What the longest stall of the main queue was spent with"
        case .busy: "What kept the main queue busy"
        }
    }

    private var axisTitle: String {
        switch time {
        case .longestStall: "milliseconds of the longest stall"
        case .busy: "milliseconds busy, waiting included"
        }
    }

    private func shares(of sample: TracedSample) -> [TracedSample.Share] {
        switch time {
        case .longestStall: sample.stalls.first?.shares ?? []
        case .busy: sample.mainQueue
        }
    }

    private func seconds(of sample: TracedSample) -> Double {
        switch time {
        case .longestStall: sample.longestStallSeconds
        case .busy: sample.mainQueueBusySeconds
        }
    }

    private func row(
        of sample: TracedSample, at index: Int, _ across: Scale, _ frame: Frame
    ) -> [Markup] {
        let nameBottom = frame.top + Double(index) * Self.rowHeight + Self.nameHeight
        let top = nameBottom + 2
        let middle = top + Self.barHeight / 2 + 4
        var seconds = 0.0
        let parts = TracedSample.Kind.allCases.map { kind in
            (kind, shares(of: sample).filter { $0.kind == kind }.reduce(0) { $0 + $1.seconds })
        }
        let bars = parts.filter { $0.1 > 0 }.map { kind, duration in
            defer { seconds += duration }
            return Mark.rectangle(
                Frame(
                    left: across(seconds * 1_000), top: top,
                    right: across((seconds + duration) * 1_000), bottom: top + Self.barHeight),
                kind.style, title: "\(kind.label): \(MetricUnit.seconds.format(duration))")
        }
        let whole = self.seconds(of: sample)
        return [Mark.text(sample.subject, at: Point(x: frame.left, y: nameBottom - 2))] + bars
            + [
                Mark.text(
                    whole > 0
                        ? MetricUnit.seconds.format(whole) : "main queue not used, so no stall",
                    at: Point(x: across(whole * 1_000) + 6, y: middle), .start, "tick")
            ]
    }
}

/// The colours of the kinds that a drawing has, below it.
struct KindLegend {
    private static let rowHeight = 18.0
    private var rows: [[TracedSample.Kind]] = [[]]

    init(_ drawn: [TracedSample.Kind], width: Double) {
        var x = 0.0
        for kind in TracedSample.Kind.allCases where drawn.contains(kind) {
            let next = Self.width(of: kind)
            if x + next > width - 20, !rows[rows.count - 1].isEmpty {
                rows.append([])
                x = 0
            }
            rows[rows.count - 1].append(kind)
            x += next
        }
    }

    /// Beyond the first row.
    var height: Double { Self.rowHeight * Double(rows.count - 1) }

    func marks(from y: Double) -> [Markup] {
        rows.enumerated().flatMap { row, kinds -> [Markup] in
            var x = 8.0
            let y = y + Self.rowHeight * Double(row)
            return kinds.flatMap { kind -> [Markup] in
                defer { x += Self.width(of: kind) }
                return [
                    Mark.rectangle(
                        Frame(left: x, top: y - 9, right: x + 10, bottom: y + 1), kind.style),
                    Mark.text(kind.label, at: Point(x: x + 15, y: y), .start, "tick"),
                ]
            }
        }
    }

    private static func width(of kind: TracedSample.Kind) -> Double {
        labelWidth(kind.label, size: 11) + 30
    }
}

extension TracedSample.Kind {
    var label: String {
        switch self {
        case .waiting: "waiting"
        case .servingChild: "a child's save or fetch"
        case .saving: "saving"
        case .merging: "merging"
        case .reading: "building objects"
        case .writing: "reading or writing the file"
        case .telling: "notifying observers, and their work"
        case .other: "the program's own work"
        }
    }

    var style: String {
        switch self {
        case .waiting: "waiting"
        case .servingChild: "s1 bar"
        case .saving: "s0 bar"
        case .merging: "s2 bar"
        case .reading: "s6 bar"
        case .writing: "s4 bar"
        case .telling: "s3 bar"
        case .other: "s7 bar"
        }
    }
}
