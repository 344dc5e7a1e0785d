import Measuring
import RunRecords

/// A metric over the values of the one parameter that varies: a line for each subject. The values
/// are drawn at equal distances, because 0, 20 and 1,000 rows are cases and not a scale.
struct ParameterPlot {
    var title: String
    var metric: Metric
    var parameter: String
    var values: [String]
    var series: [Series]

    struct Series {
        var label: String
        /// Its index in the palette.
        var colour: Int
        /// One for each value of the parameter; `nil` without a sound cell.
        var medians: [Double?]
    }

    var chart: Chart {
        let all = series.flatMap(\.medians).compactMap(\.self)
        let labelColumn = (series.map { labelWidth($0.label) }.max() ?? 0) + 20
        let frame = Frame(left: 66, top: 30, right: Chart.width - labelColumn, bottom: 260)
        let across = Scale(
            .linear, 0...Double(max(values.count - 1, 1)), from: frame.left + 16,
            to: frame.right - 16)
        let lowest = all.min() ?? 1
        let highest = all.max() ?? 1
        let isLogarithmic = lowest > 0 && highest > lowest * 10
        let domain =
            isLogarithmic
            ? lowest / 1.2...highest * 1.2 : min(lowest, 0)...max(highest * 1.05, 1e-12)
        let up = Scale(
            isLogarithmic ? .logarithmic : .linear, domain, from: frame.bottom, to: frame.top)
        let cases = Axis(
            across, title: parameter,
            ticks: values.enumerated().map { (Double($0.offset), $0.element) })
        let vertical = Axis(
            up, title: isLogarithmic ? "\(metric.title), log scale" : metric.title,
            unit: metric.unit)
        return Chart(
            title: title, summary: summary, height: frame.bottom + 40,
            marks: cases.horizontal(frame) + vertical.vertical(frame)
                + series.flatMap { marks(of: $0, across, up) } + labels(frame, across, up))
    }

    private func points(of series: Series, _ across: Scale, _ up: Scale) -> [Point] {
        series.medians.enumerated().compactMap { index, median in
            median.map { Point(x: across(Double(index)), y: up($0)) }
        }
    }

    private func marks(of series: Series, _ across: Scale, _ up: Scale) -> [Markup] {
        let points = points(of: series, across, up)
        return [Mark.path(points, "s\(series.colour) line")]
            + points.map { Mark.dot($0, radius: 3.5, "s\(series.colour) dot") }
    }

    private func labels(_ frame: Frame, _ across: Scale, _ up: Scale) -> [Markup] {
        let ends = series.map { points(of: $0, across, up).last }
        let places = spread(
            ends.map { $0?.y ?? frame.bottom }, gap: 15, within: frame.top...frame.bottom)
        return zip(zip(series, ends), places).flatMap { pair, y -> [Markup] in
            guard let end = pair.1 else { return [] }
            return [
                Mark.line(
                    from: Point(x: end.x + 5, y: end.y), to: Point(x: frame.right + 8, y: y),
                    "leader"),
                Mark.text(
                    pair.0.label, at: Point(x: frame.right + 12, y: y + 4), .start,
                    "s\(pair.0.colour) name"),
            ]
        }
    }

    private var summary: String {
        series.map { series in
            let parts = zip(values, series.medians).compactMap { value, median in
                median.map { "\(value) \(metric.unit.format($0))" }
            }
            return "\(series.label): \(parts.joined(separator: ", "))"
        }.joined(separator: "; ")
    }
}
