import Measuring
import RunRecords

/// A file of threshold rules for runs.
struct ThresholdFile {
    /// The rules in file order, each with its node.
    private let entries: [(rule: ThresholdRule, node: ConfigurationNode)]

    /// - Throws: ``ConfigurationError`` with file, line, key and the allowed values.
    init(file: String) throws {
        let documents = try ConfigurationNode.documents(in: file)
        guard documents.count == 1 else {
            throw documents[1].error("a threshold file has only one document")
        }
        let mapping = try documents[0].mapping(allowing: ["schema", "rules"])
        try mapping.requireSchema()
        entries = try mapping.required("rules").list().map { (try Self.rule($0), $0) }
    }

    /// - Throws: ``ConfigurationError`` with the place of a rule that would never be judged.
    func evaluate(_ run: Run) throws -> ThresholdReport {
        do {
            return try ThresholdCheck.evaluate(entries.map(\.rule), run)
        } catch let error as ThresholdError {
            guard let entry = entries.first(where: { $0.rule == error.rule }) else { throw error }
            let node = entry.node.descendant(error.keys)
            switch error {
            case .unknownWorkload(let rule, let known):
                throw node.error(Self.unmeasured(rule.workload.pattern, measured: known))
            case .unknownMetric(let rule, let known):
                throw node.error(
                    Self.metricOfOthers(rule.metric)
                        ?? unknown("metric", rule.metric, allowed: known))
            case .matchesNothing(let rule, let known):
                throw node.error(
                    "\"\(rule.cell)\" matches no cell of \(rule.workload)"
                        + remedy(forMissedCell: rule.cell.pattern, cells: known))
            default: throw node.error("\(error)")
            }
        }
    }

    /// The message for a workload that is unknown, or was left out of the run.
    private static func unmeasured(_ name: String, measured: [String]) -> String {
        let guess = nearest(to: name, among: measured).map { "; did you mean \"\($0)\"?" } ?? "."
        return "this run measured no workload \"\(name)\"\(guess) It measured "
            + "\(measured.joined(separator: ", ")). If it left \(name) out, run it with --workload "
            + "\(name) or a longer --budget"
    }

    /// The message for a metric that only kinds of workloads have which the rule does not match; nil
    /// if none has it.
    private static func metricOfOthers(_ pattern: String) -> String? {
        let kinds = (WorkloadKind.all + WorkloadKind.ofOwnStores).filter {
            $0.ownMetricNames.contains(where: Glob(pattern).matches)
        }
        guard !kinds.isEmpty else { return nil }
        return
            "the run has no workload with \(pattern) that the rule matches; workloads of these kinds "
            + "have it: \(kinds.map(\.name).joined(separator: ", "))"
    }

    /// Reads a rule.
    ///
    /// - Parameter workload: the workload whose file has the rule. Nil if the rule may name
    ///   workloads itself.
    static func rule(
        _ node: ConfigurationNode, of workload: Workload? = nil
    ) throws -> ThresholdRule {
        let entries = try node.mapping(
            allowing: (workload == nil ? ["workload"] : []) + [
                "cell", "metric", "statistic", "atMost", "atLeast", "exactly", "relativeTo",
                "reason",
            ])
        let metric = try entries.required("metric").string()
        let unit =
            entries["relativeTo"] == nil ? unit(of: Glob(metric), in: workload) : MetricUnit.ratio
        let bounds: [ThresholdRule.Bound] = try [
            entries["atMost"].map { .atMost(try limit($0, in: unit)) },
            entries["atLeast"].map { .atLeast(try lowerLimit($0, in: unit, of: metric)) },
            entries["exactly"].map { .exactly(try limit($0, in: unit)) },
        ].compactMap(\.self)
        guard bounds.count == 1 else {
            throw node.error("a rule needs exactly one of atMost, atLeast and exactly")
        }
        return ThresholdRule(
            workload: Glob(try workload?.name ?? entries["workload"]?.string() ?? "*"),
            cell: Glob(try entries["cell"]?.string() ?? "*"),
            metric: metric,
            statistic: try entries["statistic"]?.choice("statistic") ?? .median,
            bound: bounds[0],
            relativeTo: try entries["relativeTo"].map { try reference($0, in: workload) },
            reason: try entries["reason"]?.string() ?? "")
    }

    /// The unit of the metrics that a pattern matches; nil if they have several.
    private static func unit(of pattern: Glob, in workload: Workload?) -> MetricUnit? {
        let kinds = workload.map { [$0.kind] } ?? (WorkloadKind.all + WorkloadKind.ofOwnStores)
        let metrics =
            Metric.wellKnown + Metric.counts
            + kinds.flatMap { [$0.primaryMetric] + $0.extraMetrics }
        var units = Set(metrics.filter { pattern.matches($0.name) }.map(\.unit))
        if kinds.flatMap(\.latencies).contains(where: pattern.matches) {
            units.insert(.nanoseconds)
        }
        if units.isEmpty { return Metric.named(pattern.pattern).unit }
        return units.count == 1 ? units.first : nil
    }

    /// Reads a limit: a number in the metric's unit, or one with a unit of its own, such as "10 ms".
    private static func limit(_ node: ConfigurationNode, in unit: MetricUnit?) throws -> Double {
        let text = try node.string()
        if Double(text) != nil { return try node.number() }
        guard unit == .ratio || MetricUnit.ratio.value(of: text) == nil else {
            throw node.error(
                "\(text) is a share of another cell's value, so relativeTo is missing; it names that "
                    + "cell, as relativeTo: shared")
        }
        guard let unit else {
            throw node.error("the metrics have several units, so the limit must be a plain number")
        }
        guard let value = unit.value(of: text) else {
            let units = unit.writtenUnits
            throw node.error(
                units.isEmpty
                    ? "\(text) must be a plain number, since the metric is a count"
                    : "\(text) is not a number, alone or with one of \(units.joined(separator: ", "))"
            )
        }
        return value
    }

    /// - Throws: ``ConfigurationError`` also for a limit that no value can be below.
    private static func lowerLimit(
        _ node: ConfigurationNode, in unit: MetricUnit?, of metric: String
    ) throws -> Double {
        let limit = try limit(node, in: unit)
        guard limit > 0 || Glob(metric).matches(Metric.memoryGrowth.name) else {
            throw node.error("no value is below \(limit), so the rule always holds; remove it")
        }
        return limit
    }

    /// Reads what a cell is compared with, a subject or values of parameters: `grdb`,
    /// `{ mode: loop }` or `{ subject: shared, fetchBatchSize: 0 }`.
    private static func reference(
        _ node: ConfigurationNode, in workload: Workload?
    ) throws -> ThresholdRule.Reference {
        let subjects = (workload?.subjects ?? Subject.all).map(\.name)
        if node.isScalar { return .init(subject: try node.choice("subject", of: subjects)) }
        let kinds = workload.map { [$0.kind] } ?? WorkloadKind.all
        let names = Set(kinds.flatMap { $0.parameters.map(\.name) }).sorted()
        let entries = try node.mapping(allowing: ["subject"] + names)
        var reference = ThresholdRule.Reference()
        reference.subject = try entries["subject"]?.choice("subject", of: subjects)
        for name in names {
            guard let entry = entries[name] else { continue }
            reference.parameters[name] =
                try workload.map { try $0.valueOfAxis(name, entry) } ?? entry.string()
        }
        guard reference != .init() else { throw node.error("needs a subject or a parameter") }
        return reference
    }
}
