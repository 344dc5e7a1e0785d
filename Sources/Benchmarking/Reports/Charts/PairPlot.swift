import Foundation

/// The ratio of each pair in the order in which they were run: drift, and what changed half-way,
/// can be seen. Filled dots ran the first subject first.
struct PairPlot {
    var title: String
    /// What is divided by what.
    var axisTitle: String
    var pairs: [Pair]
    /// Fresh pairs, taken to confirm a finding.
    var confirmation: [Pair]
    /// The two that took turns, as the legend names them.
    var base: String
    var head: String

    struct Pair {
        /// ln(head / base).
        var logRatio: Double
        var isHeadFirst: Bool
    }

    /// Of how many neighbours the running line is the median.
    private static let window = 5

    var chart: Chart {
        let all = pairs + confirmation
        let percents = all.map { (exp($0.logRatio) - 1) * 100 }
        let reach = max(percents.map(abs).max() ?? 1, 0.5) * 1.1
        let lowest = min((percents.min() ?? 0) * 1.1, -reach * 0.15)
        let highest = max((percents.max() ?? 0) * 1.1, reach * 0.15)
        let frame = Frame(left: 66, top: 30, right: Chart.width - 8, bottom: 160)
        let across = Scale(
            .linear, 0.5...Double(max(all.count, 1)) + 0.5, from: frame.left, to: frame.right)
        let up = Scale(.linear, lowest...highest, from: frame.bottom, to: frame.top)
        let points = percents.enumerated().map { index, value in
            Point(x: across(Double(index + 1)), y: up(value))
        }
        let change = Axis(
            up, title: axisTitle
        ) { signedPercent($0 / 100, digits: nil) }
        let order = Axis(
            across, title: "pair, in the order of execution",
            ticks: across.ticks(gap: 30).filter { $0 == $0.rounded() }.map { ($0, "\(Int($0))") })
        let zero = Mark.line(
            from: Point(x: frame.left, y: up(0)), to: Point(x: frame.right, y: up(0)), "zero")
        return Chart(
            title: title, summary: summary(percents), height: frame.bottom + 62,
            marks: change.vertical(frame) + order.horizontal(frame) + [zero]
                + divider(across, frame)
                + [Mark.path(Self.runningMedian(points), "running")]
                + zip(all, points).map(dot) + legend(y: frame.bottom + 54))
    }

    private func dot(_ pair: Pair, _ point: Point) -> Markup {
        Mark.dot(
            point, radius: 4, pair.isHeadFirst ? "pair hollow" : "pair",
            title: signedPercent(exp(pair.logRatio) - 1, digits: 1))
    }

    private func divider(_ across: Scale, _ frame: Frame) -> [Markup] {
        guard !confirmation.isEmpty else { return [] }
        let x = across(Double(pairs.count) + 0.5)
        return [
            Mark.line(from: Point(x: x, y: frame.top), to: Point(x: x, y: frame.bottom), "divider"),
            Mark.text("confirmation →", at: Point(x: x + 5, y: frame.top - 4), .start, "tick"),
        ]
    }

    private func legend(y: Double) -> [Markup] {
        let first = "\(base) ran first"
        let second = "\(head) ran first"
        let secondX = 66 + labelWidth(first) + 44
        let thirdX = secondX + labelWidth(second) + 44
        return [
            Mark.dot(Point(x: 72, y: y - 4), radius: 4, "pair"),
            Mark.text(first, at: Point(x: 82, y: y), .start, "tick"),
            Mark.dot(Point(x: secondX + 6, y: y - 4), radius: 4, "pair hollow"),
            Mark.text(second, at: Point(x: secondX + 16, y: y), .start, "tick"),
            Mark.line(
                from: Point(x: thirdX, y: y - 4), to: Point(x: thirdX + 20, y: y - 4), "running"),
            Mark.text(
                "running median of \(Self.window)", at: Point(x: thirdX + 26, y: y), .start,
                "tick"),
        ]
    }

    /// Nothing for fewer pairs than the window.
    private static func runningMedian(_ points: [Point]) -> [Point] {
        guard points.count >= window else { return [] }
        return points.indices.map { index in
            let start = min(max(index - window / 2, 0), points.count - window)
            let neighbours = points[start..<start + window].map(\.y)
            return Point(x: points[index].x, y: Statistics.median(neighbours) ?? points[index].y)
        }
    }

    private func summary(_ percents: [Double]) -> String {
        let above = percents.count { $0 > 0 }
        let middle = Statistics.median(percents).map { signedPercent($0 / 100, digits: 1) } ?? ""
        return "\(above) of \(percents.count) pairs above 0; the median is \(middle)"
    }
}
