import Foundation
import Measuring
import RunRecords

/// The figures of a run for the action github-action-benchmark.
///
/// The action raises an alert if a figure gets worse, and takes one direction for a whole file. So
/// metrics that only explain others are left out.
///
/// Source: the action's README, "customBiggerIsBetter" and "customSmallerIsBetter".
struct GitHubActionBenchmark {
    private let entries: [Entry]

    private struct Entry: Encodable {
        let name: String
        let unit: String
        let value: Double
        let range: String?
        let extra: String
    }

    /// - Parameter polarity: the direction of the file.
    /// - Returns: `nil` if no metric has that direction.
    init?(_ run: Run, _ polarity: Metric.Polarity) {
        let number = CommaSeparatedText.number
        entries = ExportedFigure.all(of: run).filter { $0.metric.polarity == polarity }.map {
            Entry(
                name: $0.name, unit: $0.metric.unit.rawValue, value: $0.figure.value,
                range: $0.interval.map { "[\(number($0.lower)), \(number($0.upper))]" },
                extra: Self.origin(of: $0, in: run))
        }
        if entries.isEmpty { return nil }
    }

    var text: String { JSONEncoder.text(of: entries) }

    /// How the figure came about; the action shows it beside the point.
    private static func origin(of figure: ExportedFigure, in run: Run) -> String {
        let count = figure.figure.values.count
        let values =
            "\(figure.figure.statistic.rawValue) of \(count) \(count == 1 ? "value" : "values")"
        let parameters = figure.workload.parameters.sorted { $0.key < $1.key }.map {
            "\($0.key) \($0.value)"
        }
        return [
            values + (figure.interval == nil ? "" : ", range: 95 % interval"),
            parameters.joined(separator: ", "), Provenance.line(run),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }
}

extension JSONEncoder {
    /// The values in the layout of all files, with a line end.
    static func text(of values: some Encodable) -> String {
        guard let data = try? ofFiles.encode(values) else {
            preconditionFailure("numbers, texts and arrays of them can be encoded")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
