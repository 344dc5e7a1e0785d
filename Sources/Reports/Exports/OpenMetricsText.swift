import Foundation
import Measuring
import RunRecords

/// The figures of a run in the text format of OpenMetrics: a gauge for each metric, and two for the
/// bounds of its interval.
///
/// There are no timestamps, since most collectors refuse them; `stackbench_run_start_timestamp_seconds`
/// says when the run began.
///
/// Source: "The OpenMetrics project", specification 1.0, text format.
struct OpenMetricsText {
    private var families: [Family] = []

    private struct Family {
        let name: String
        let unit: String
        let help: String
        var samples: [(labels: [(name: String, value: String)], value: Double)] = []
    }

    /// - Returns: `nil` if the run has no figures.
    init?(_ run: Run) {
        let figures = ExportedFigure.all(of: run)
        if figures.isEmpty { return nil }
        add(
            run.startedAt.timeIntervalSince1970,
            [("build", run.build.rawValue), ("run", run.name)],
            to: Family(
                name: "stackbench_run_start_timestamp_seconds", unit: "seconds",
                help: "When the run began"))
        for figure in figures {
            add(figure.figure.value, of: figure, part: nil)
            guard let interval = figure.interval else { continue }
            add(interval.lower, of: figure, part: "lower")
            add(interval.upper, of: figure, part: "upper")
        }
    }

    var text: String {
        families.map { family in
            let unit = family.unit.isEmpty ? [] : ["# UNIT \(family.name) \(family.unit)"]
            let head =
                ["# TYPE \(family.name) gauge"] + unit
                + ["# HELP \(family.name) \(Self.escaped(family.help))"]
            let samples = family.samples.map { sample in
                let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
                return "\(family.name){\(labels.joined(separator: ","))} "
                    + CommaSeparatedText.number(sample.value)
            }
            return (head + samples).joined(separator: "\n") + "\n"
        }.joined() + "# EOF\n"
    }

    /// - Parameter part: `lower` or `upper` for a bound of the 95 % interval.
    private mutating func add(_ value: Double, of figure: ExportedFigure, part: String?) {
        let (metric, cell) = (figure.metric, figure.cell)
        let unit = Self.unit(of: metric)
        let suffix = unit.isEmpty ? "" : "_\(unit)"
        var name = Self.snakeCased(metric.name)
        if name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        let labels = [
            ("cell", cell.identifier), ("metric", metric.name), ("subject", cell.subject),
            ("workload", figure.workload.name),
        ]
        add(
            value, labels,
            to: Family(
                name: "stackbench_\(name)\(part.map { "_\($0)" } ?? "")\(suffix)", unit: unit,
                help: part.map { "The \($0) bound of the 95 % interval of the median" }
                    ?? "\(metric.title): the median of the samples, or a count"))
    }

    /// A family is written once, with all of its samples.
    private mutating func add(
        _ value: Double, _ labels: [(name: String, value: String)], to family: Family
    ) {
        let place = families.firstIndex { $0.name == family.name } ?? families.count
        if place == families.count { families.append(family) }
        families[place].samples.append((labels, value))
    }

    /// Empty for a count: the format has no such unit.
    private static func unit(of metric: Metric) -> String {
        switch metric.unit {
        case .seconds, .nanoseconds, .bytes, .ratio: metric.unit.rawValue
        case .perSecond: "per_second"
        case .count: ""
        }
    }

    /// "mainQueue.p99" as "main_queue_p99".
    private static func snakeCased(_ name: String) -> String {
        name.replacing(/([a-z0-9])([A-Z])/) { "\($0.1)_\($0.2)" }.lowercased()
            .replacing(/[^a-z0-9_]+/, with: "_")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}
