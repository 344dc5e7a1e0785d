import Benchmarking

/// What a gate is to detect in some cells of a workload: `{ cell: "*batch*", metric: time, detect: 3% }`.
struct GateRule: Sendable {
    var cell: Glob = "*"
    var metric: Glob
    /// As shares: 0.05 is 5 %.
    var detect: Double
    /// Nil for half of what is to be detected.
    var minimumEffect: Double?
}

extension Workload {
    /// What pairs are judged on without being asked: time, and where threads contend the processor
    /// time as well, which is steadier there. Source: measuring §7, step 4.
    private var timedMetrics: [Metric] { kind.isContended ? [.time, .cpuTime] : [.time] }

    /// What pairs can be judged on: times of turns and, of a load, what its phases tell.
    private var pairedMetrics: [Metric] {
        guard kind.isLoad else { return timedMetrics }
        return timedMetrics + [.capacity]
            + metricNames.filter { $0.contains(".p") || $0.hasSuffix(".max") }
            .filter { !$0.hasPrefix("process.") }.map(Metric.named)
    }

    /// Reads a rule of the gate.
    ///
    /// - Throws: ``ConfigurationError`` also for one that matches no cell or no metric.
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

    /// How each metric of a cell is judged in pairs: by the last rule that matches it, and where none
    /// does, times by `standard` and nothing else at all.
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
