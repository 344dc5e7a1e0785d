import Measuring
import RunRecords

/// What a gate detects in some cells of a workload:
/// `{ cell: "*batch*", metric: time, detect: 3% }`.
struct GateRule: Sendable {
    var cell: Glob = "*"
    var metric: Glob
    /// The change to detect, as a share: 0.05 is 5 %.
    var detect: Double
    /// Nil for half of ``detect``.
    var minimumEffect: Double?
}

extension Workload {
    /// The metrics that a gate judges by default: time, and for contended workloads also processor
    /// time, which is steadier there. Source: measuring §7, step 4.
    private var timedMetrics: [Metric] { kind.isContended ? [.time, .cpuTime] : [.time] }

    /// The metrics that a gate can judge: the times of turns and, for a load, the capacity and the
    /// latencies of its phases.
    private var pairedMetrics: [Metric] {
        guard kind.work == .load else { return timedMetrics }
        return timedMetrics + [.capacity]
            + metricNames.filter { $0.contains(".p") || $0.hasSuffix(".max") }
            .filter { !$0.hasPrefix("process.") }.map(Metric.named)
    }

    /// Reads a gate rule.
    ///
    /// - Throws: ``ConfigurationError``, also if the rule matches no cell or no metric.
    func gateRule(_ node: ConfigurationNode) throws -> GateRule {
        let entries = try node.mapping(allowing: ["cell", "metric", "detect", "minimumEffect"])
        let shares = 0.001...9.0
        let rule = GateRule(
            cell: Glob(try entries["cell"]?.string() ?? "*"),
            metric: Glob(try entries.required("metric").string()),
            detect: try entries.required("detect").percentage(in: shares),
            minimumEffect: try entries["minimumEffect"]?.percentage(in: shares))
        try requireCell(matching: rule.cell, node)
        let names = pairedMetrics.map(\.name)
        guard names.contains(where: rule.metric.matches) else {
            throw node.error(unknown("metric", rule.metric.pattern, allowed: names))
        }
        return rule
    }

    /// The rule for each metric of a cell: the last rule in the file that matches, otherwise
    /// `standard` for times. Other metrics without a rule are not judged.
    func pairedRules(
        of identifier: String, standard: PairedRule
    ) -> [PairedCell.MetricRule] {
        pairedMetrics.compactMap { metric in
            let own = gateRules.last {
                $0.cell.matches(identifier) && $0.metric.matches(metric.name)
            }
            guard let own else {
                return timedMetrics.contains(metric) ? .init(metric, standard) : nil
            }
            return .init(
                metric,
                PairedRule(
                    detect: own.detect, minimumEffect: own.minimumEffect, alpha: standard.alpha,
                    pairCount: standard.pairCount))
        }
    }
}
