import Foundation
import Measuring
import RunRecords

/// The figures of a run in Bencher Metric Format: cells as benchmarks, metrics as measures.
///
/// A measure is named with its unit, since Bencher makes one without a unit of a name that it does not
/// know. Which direction is better, its thresholds say.
///
/// Source: Bencher's reference, "Bencher Metric Format (BMF)".
struct BencherMetrics {
    /// By the names of benchmarks and measures.
    private let metrics: [String: [String: Value]]

    private struct Value: Encodable {
        let value: Double
        let lower: Double?
        let upper: Double?

        private enum CodingKeys: String, CodingKey {
            case value
            case lower = "lower_value"
            case upper = "upper_value"
        }
    }

    /// - Returns: `nil` if the run has no figures.
    init?(_ run: Run) {
        var metrics: [String: [String: Value]] = [:]
        for figure in ExportedFigure.all(of: run) {
            let benchmark = "\(figure.workload.name) \(figure.cell.identifier)"
            let measure = "\(figure.metric.name) (\(figure.metric.unit.rawValue))"
            metrics[benchmark, default: [:]][measure] = Value(
                value: figure.figure.value, lower: figure.interval?.lower,
                upper: figure.interval?.upper)
        }
        if metrics.isEmpty { return nil }
        self.metrics = metrics
    }

    var text: String { JSONEncoder.text(of: metrics) }
}
