import Measuring
import RunRecords

/// How the ratio that a claim is about changes along a number, such as the size of a save.
struct ClaimSweep {
    let question: Question
    /// The name of the parameter.
    let parameter: String
    /// Its values in ascending order; three or more.
    let values: [String]
    let lines: [Line]

    struct Line {
        /// The compared value, and the other parameters.
        let label: String
        /// The ratio at each of the values; nil if nothing was measured there.
        let ratios: [Double?]
    }

    /// - Parameter answers: The answers of one claim to one question.
    /// - Returns: nil if they are not spread over three numbers or more.
    init?(_ answers: [ClaimAnswer]) {
        guard let question = answers.first?.question else { return nil }
        self.question = question
        let points =
            answers.contains(where: \.isOnNumericAxis)
            ? answers.flatMap(Point.along)
            : answers.compactMap { Point.between(answers, at: $0) }
        guard let parameter = points.first?.parameter else { return nil }
        let values = points.map(\.value).uniqued
            .sorted { Double($0) ?? 0 < Double($1) ?? 0 }
        guard values.count > 2 else { return nil }
        self.parameter = parameter
        self.values = values
        lines = points.map(\.line).uniqued.map { line in
            Line(
                label: line,
                ratios: values.map { value in
                    points.first { $0.line == line && $0.value == value }?.ratio
                })
        }
    }

    /// The curves as text: "nested: 10 3.1×, 500 15.2×".
    var chart: Chart {
        ParameterPlot(
            title: "\(question.metric.title) ÷ that of the baseline over \(parameter)",
            metric: Metric("ratio", title: "\(question.metric.title) ÷ baseline", unit: .ratio),
            parameter: parameter, values: values,
            series: lines.enumerated().map { place, line in
                ParameterPlot.Series(
                    label: line.label, colour: place % Palette.colourCount, medians: line.ratios)
            }
        ).chart
    }

    /// A ratio at one value of the parameter.
    private struct Point {
        let line: String
        let parameter: String
        let value: String
        let ratio: Double?

        /// The points of a contest whose axis is numeric; the baseline is at 1.
        static func along(_ answer: ClaimAnswer) -> [Point] {
            let contest = answer.contest
            return zip(contest.contest.cells, contest.contest.values).map { cell, value in
                let ratio =
                    cell == contest.reference?.identifier
                    ? 1 : contest.finding(of: cell)?.verdict.ratio?.estimate
                return Point(
                    line: contest.contest.label.isEmpty ? "measured" : contest.contest.label,
                    parameter: answer.question.axis, value: value, ratio: ratio.drawable)
            }
        }

        /// The answer's place among answers that differ in one number beside other parameters.
        static func between(_ answers: [ClaimAnswer], at answer: ClaimAnswer) -> Point? {
            let numeric = answers.flatMap(\.parameters.keys).uniqued.sorted().first { name in
                name != answer.question.axis
                    && Set(answers.compactMap { $0.parameters[name].flatMap(Double.init) }).count
                        > 2
            }
            guard let numeric, let value = answer.parameters[numeric] else { return nil }
            let others = answer.contest.contest.label.split(separator: ", ").map(String.init)
                .filter { $0 != "\(numeric) \(value)" }
            return Point(
                line: ([answer.ask.value] + others).joined(separator: ", "), parameter: numeric,
                value: value, ratio: answer.finding.verdict.ratio?.estimate.drawable)
        }
    }
}

extension ClaimAnswer {
    /// Whether the values that are compared are numbers.
    fileprivate var isOnNumericAxis: Bool { contest.contest.isNumeric }

    fileprivate var parameters: [String: String] {
        contest.cells.first { $0.identifier == finding.cell }?.parameters ?? [:]
    }
}

extension Contest {
    /// Whether all values on the axis are numbers, so that they form a curve.
    public var isNumeric: Bool { values.allSatisfy { Double($0) != nil } }
}

extension Double? {
    /// The ratio if it has a place on a logarithmic axis.
    fileprivate var drawable: Double? { flatMap(\.drawable) }
}

extension Double {
    fileprivate var drawable: Double? { isFinite && self > 0 ? self : nil }
}
