import Foundation
import Measuring
import RunRecords

/// Latency against how rare it is: each step along the bottom is ten times rarer, as in the plots
/// of HDR histograms. Service times are solid; latencies from the intended start are dashed.
struct LatencySpectrum {
    var title: String
    var series: [Series]

    struct Series {
        var label: String
        /// Its index in the palette.
        var colour: Int
        /// Whether latencies count from the time at which the work was due.
        var isIntended: Bool
        /// All samples together, from the shortest latency to the rarest one that can be reported.
        var points: [Entry]
        /// The lowest and the highest values of single samples; empty for one sample.
        var lowest: [Entry]
        var highest: [Entry]
    }

    /// The latency that one operation in `oneIn` exceeds.
    struct Entry: Hashable {
        var oneIn: Double
        var nanoseconds: Double
    }

    var chart: Chart {
        let all = series.flatMap { $0.points + $0.lowest + $0.highest }
        let values = all.map(\.nanoseconds)
        let rarest = max(all.map(\.oneIn).max() ?? 10, 10)
        let labelColumn = (series.map { labelWidth($0.label) }.max() ?? 0) + 18
        let frame = Frame(left: 66, top: 30, right: Chart.width - labelColumn, bottom: 290)
        let across = Scale(.logarithmic, 1...rarest, from: frame.left, to: frame.right)
        let up = Scale(
            .logarithmic, max(values.min() ?? 1, 1) / 1.15...max(values.max() ?? 10, 10) * 1.15,
            from: frame.bottom, to: frame.top)
        let percentiles = Axis(
            across,
            title: "share of operations at most this slow (each step is ten times rarer)",
            ticks: Self.percentiles.filter { $0.value <= rarest * 1.001 })
        let latencies = Axis(up, title: "latency, log scale", unit: .nanoseconds)
        return Chart(
            title: title, summary: series.map(Self.summary).joined(separator: "; "),
            height: frame.bottom + 40,
            marks: percentiles.horizontal(frame) + latencies.vertical(frame)
                + series.flatMap { marks(of: $0, across, up) } + labels(frame, across, up))
    }

    private static let percentiles: [(value: Double, label: String)] = [
        (1, "0 %"), (2, "50 %"), (10, "90 %"), (100, "99 %"), (1_000, "99.9 %"),
        (10_000, "99.99 %"), (100_000, "99.999 %"), (1_000_000, "99.9999 %"),
    ]

    private func marks(of series: Series, _ across: Scale, _ up: Scale) -> [Markup] {
        func points(_ entries: [Entry]) -> [Point] {
            entries.map { Point(x: across($0.oneIn), y: up($0.nanoseconds)) }
        }
        let style = "s\(series.colour) line" + (series.isIntended ? " dashed" : "")
        var marks = [
            Mark.band(
                lower: points(series.lowest), upper: points(series.highest),
                "s\(series.colour) band"),
            Mark.path(points(series.points), style),
        ]
        if let end = points(series.points).last {
            marks.append(Mark.dot(end, radius: 3.5, "s\(series.colour) dot"))
        }
        return marks
    }

    /// Labels beside the ends of the lines, moved apart.
    private func labels(_ frame: Frame, _ across: Scale, _ up: Scale) -> [Markup] {
        let ends = series.map { $0.points.last.map { up($0.nanoseconds) } ?? frame.bottom }
        let places = spread(ends, gap: 15, within: frame.top...frame.bottom)
        return zip(series, places).flatMap { series, y -> [Markup] in
            guard let end = series.points.last else { return [] }
            let point = Point(x: across(end.oneIn) + 5, y: up(end.nanoseconds))
            let label = Point(x: frame.right + 14, y: y)
            return [
                Mark.line(from: point, to: Point(x: label.x - 3, y: y), "leader"),
                Mark.text(
                    series.label, at: Point(x: label.x, y: y + 4), .start,
                    "s\(series.colour) name"),
            ]
        }
    }

    private static func summary(_ series: Series) -> String {
        let told = [(2.0, "median"), (100, "99 %"), (1_000, "99.9 %")].compactMap { oneIn, name in
            series.points.first { $0.oneIn >= oneIn * 0.999 }.map {
                "\(name) \(MetricUnit.nanoseconds.format($0.nanoseconds))"
            }
        }
        return ([series.label] + told).joined(separator: " ")
    }
}

extension LatencySpectrum.Series {
    /// - Parameter samples: the latencies of each sample; the line shows them merged.
    init(label: String, colour: Int, isIntended: Bool, samples: [LatencyRecorder]) {
        let together = samples.reduce(into: LatencyRecorder()) { $0.merge($1) }
        let points = Self.entries(of: together)
        self.init(
            label: label, colour: colour, isIntended: isIntended, points: points, lowest: [],
            highest: [])
        guard samples.count > 1 else { return }
        let each = samples.map { Self.entries(of: $0) }
        // As far as every sample has enough latencies.
        let length = each.map(\.count).min() ?? 0
        for index in 0..<length {
            let values = each.map { $0[index].nanoseconds }
            let oneIn = each[0][index].oneIn
            lowest.append(.init(oneIn: oneIn, nanoseconds: values.min() ?? 0))
            highest.append(.init(oneIn: oneIn, nanoseconds: values.max() ?? 0))
        }
    }

    /// Sixteen points in each decade, as long as at least 10 latencies lie beyond.
    private static func entries(of recorder: LatencyRecorder) -> [LatencySpectrum.Entry] {
        guard let buckets = recorder.summary?.buckets.entries else { return [] }
        let count = Double(recorder.count)
        var entries: [LatencySpectrum.Entry] = []
        var seen = 0.0
        for bucket in buckets {
            seen += Double(bucket.count)
            while case let oneIn = pow(10, Double(entries.count) / 16),
                count / oneIn >= Double(LatencyRecorder.valuesNeededBeyondPercentile),
                seen >= count * (1 - 1 / oneIn)
            {
                entries.append(.init(oneIn: oneIn, nanoseconds: Double(max(bucket.nanoseconds, 1))))
            }
        }
        return entries
    }
}
