import Foundation
import Measuring
import RunRecords

/// The times and rates of a run as results of the Java Microbenchmark Harness.
///
/// Its readers know a time of an operation, of which less is better, and operations a second, of which
/// more is better. So other units are left out, and metrics that only explain others. An operation is
/// one sample, or for a rate what the rate counts. A sample is a fork with one iteration, since it has
/// a process of its own. Unlike that harness's own score, this one is a median.
///
/// Source: JSONResultFormat of jmh-core 1.37.
struct JMHResults {
    private let results: [Result]

    private struct Result: Encodable {
        let benchmark: String
        let mode: String
        let threads: Int
        let forks: Int
        let warmupIterations: Int
        let warmupTime: String
        let measurementIterations: Int
        let measurementTime: String
        let params: [String: String]
        let primaryMetric: Score
        let secondaryMetrics: [String: Score]
    }

    /// An error and bounds that are not known are NaN, which that harness writes as a text too.
    private struct Score: Encodable {
        let score: Double
        let scoreError: Double
        let scoreConfidence: [Double]
        let scorePercentiles: [String: Double]
        let scoreUnit: String
        let rawData: [[Double]]
    }

    /// - Returns: `nil` if the run has no times and rates.
    init?(_ run: Run) {
        results = ExportedFigure.all(of: run).compactMap(Self.result)
        if results.isEmpty { return nil }
    }

    var text: String { JSONEncoder.text(of: results) }

    private static func result(of figure: ExportedFigure) -> Result? {
        guard let (mode, unit) = modeAndUnit(of: figure.metric) else { return nil }
        var parameters = figure.cell.parameters
        parameters["subject"] = figure.cell.subject
        parameters["lockPolicy"] = figure.cell.lockPolicy
        return Result(
            benchmark: "\(figure.workload.name).\(figure.metric.name)", mode: mode, threads: 1,
            forks: figure.figure.values.count, warmupIterations: 0, warmupTime: "single-shot",
            measurementIterations: 1, measurementTime: "single-shot", params: parameters,
            primaryMetric: score(of: figure, unit), secondaryMetrics: [:])
    }

    private static func modeAndUnit(of metric: Metric) -> (mode: String, unit: String)? {
        switch (metric.unit, metric.polarity) {
        case (.seconds, .lowerIsBetter): ("ss", "s/op")
        case (.nanoseconds, .lowerIsBetter): ("ss", "ns/op")
        case (.perSecond, .higherIsBetter): ("thrpt", "ops/s")
        default: nil
        }
    }

    private static func score(of figure: ExportedFigure, _ unit: String) -> Score {
        let (value, values) = (figure.figure.value, figure.figure.values)
        let bounds = figure.interval.map { [$0.lower, $0.upper] } ?? [.nan, .nan]
        return Score(
            score: value, scoreError: max(bounds[1] - value, value - bounds[0]),
            scoreConfidence: bounds,
            scorePercentiles: [
                "0.0": values.min() ?? value, "50.0": value, "100.0": values.max() ?? value,
            ],
            scoreUnit: unit, rawData: values.map { [$0] })
    }
}
