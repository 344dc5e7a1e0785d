import Measuring

/// Judges a run by threshold rules.
public enum ThresholdCheck {
    /// The share of checks in which some rule may hold or be crossed by chance.
    static let errorRate = 0.05

    /// Judges every rule on every cell it matches, in the order of rules and cells.
    ///
    /// The median of a measured metric is judged by its interval. The rule holds if the whole
    /// interval is within the bound, and is crossed if no part of it is. Otherwise it cannot be
    /// judged. The intervals of all rules hold together with 95 % confidence (Bonferroni). A metric
    /// that samples may have but these do not, such as a percentile of few operations, cannot be
    /// judged.
    ///
    /// - Throws: ``ThresholdError`` if a rule would never be judged: it matches no cell, or names a
    ///   metric that no matching sample can have, or a reference that the matching workloads lack.
    public static func evaluate(_ rules: [ThresholdRule], _ run: Run) throws -> ThresholdReport {
        report(of: try rules.flatMap { try findings(of: $0, in: run) }, run)
    }

    /// As ``evaluate(_:_:)``, for the rules of the run's own workloads. One that this run cannot judge,
    /// for example because the subject that it divides by was not selected, says so.
    public static func evaluateRules(of run: Run) -> ThresholdReport {
        var unusable: [ThresholdVerdict] = []
        let findings = run.thresholds.flatMap { rule in
            do { return try Self.findings(of: rule, in: run) } catch {
                unusable.append(
                    ThresholdVerdict(
                        rule: rule, workload: rule.workload.pattern, cell: rule.cell.pattern,
                        metric: Metric.named(rule.metric),
                        outcome: .cannotJudge(reason: "\(error)")))
                return []
            }
        }
        var report = Self.report(of: findings, run)
        report.verdicts += unusable
        return report
    }

    private static func findings(of rule: ThresholdRule, in run: Run) throws -> [Finding] {
        let matches = try matches(of: rule, in: run)
        return try metrics(of: rule, in: matches).flatMap { metric in
            var rule = rule
            rule.metric = metric
            return matches.map { Finding(rule, $0.cell, of: $0.workload, run.build) }
        }
    }

    private static func report(of findings: [Finding], _ run: Run) -> ThresholdReport {
        let estimateCount = findings.count { $0.isEstimate }
        return ThresholdReport(
            verdicts: findings.map { $0.verdict(besides: estimateCount) },
            unsoundCells: run.unsoundCells)
    }

    private typealias Match = (workload: WorkloadResult, cell: CellResult)

    private static func matches(of rule: ThresholdRule, in run: Run) throws -> [Match] {
        guard run.workloads.contains(where: { rule.workload.matches($0.name) }) else {
            throw ThresholdError.unknownWorkload(rule, known: run.workloads.map(\.name))
        }
        let cells: [Match] = run.workloads.filter { rule.workload.matches($0.name) }
            .flatMap { workload in workload.cells.map { (workload, $0) } }
        let matches = cells.filter { rule.cell.matches($0.cell.identifier) }
        guard !matches.isEmpty else {
            throw ThresholdError.matchesNothing(rule, known: cells.map(\.cell.identifier).uniqued)
        }
        guard let reference = rule.relativeTo else { return matches }
        try check(reference, of: rule, in: matches.map(\.workload))
        // A cell divided by itself is always 1.
        let others = matches.filter { !reference.describes($0.cell) }
        guard !others.isEmpty else { throw ThresholdError.comparesWithItself(rule) }
        return others
    }

    private static func check(
        _ reference: ThresholdRule.Reference, of rule: ThresholdRule, in workloads: [WorkloadResult]
    ) throws {
        let subjects = Set(workloads.flatMap { $0.cells.map(\.subject) })
        if let subject = reference.subject, !subjects.contains(subject) {
            throw ThresholdError.unknownSubject(rule, known: subjects.sorted())
        }
        let axes = workloads.map(\.axes).reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        for (name, value) in reference.parameters.sorted(by: { $0.key < $1.key }) {
            guard let values = axes[name] else {
                throw ThresholdError.fixedParameter(rule, name, known: axes.keys.sorted())
            }
            guard values.contains(value) else {
                throw ThresholdError.unknownValue(rule, name, known: Set(values).sorted())
            }
        }
    }

    /// The metrics that match the rule's pattern; the pattern itself if none was measured.
    private static func metrics(of rule: ThresholdRule, in matches: [Match]) throws -> [String] {
        let samples = matches.flatMap { $0.cell.samples + [$0.cell.counts].compactMap(\.self) }
        let known = samples.reduce(into: Set<String>()) {
            $0.formUnion($1.valueNames)
            $0.formUnion($1.latencies.keys)
        }
        let metrics = known.filter(Glob(rule.metric).matches).sorted()
        guard !metrics.isEmpty || known.isEmpty || matches.contains(where: { mayHave(rule, $0) })
        else { throw ThresholdError.unknownMetric(rule, known: known.sorted()) }
        return metrics.isEmpty ? [rule.metric] : metrics
    }

    /// Whether samples of the cell may have the rule's metric. A rule that belongs to the workload
    /// was checked against its metrics before the run.
    private static func mayHave(_ rule: ThresholdRule, _ match: Match) -> Bool {
        let workload = match.workload
        if workload.thresholds?.contains(rule) == true { return true }
        let metrics =
            Metric.wellKnown + Metric.counts + [workload.primaryMetric] + workload.extraMetrics
        return (metrics.map(\.name) + match.cell.samples.flatMap(\.percentileNames))
            .contains(where: Glob(rule.metric).matches)
    }
}

extension ThresholdRule.Reference {
    /// Whether the cell is one that others are divided by, so that it is not judged itself.
    public func describes(_ cell: CellResult) -> Bool {
        (subject == nil || subject == cell.subject)
            && parameters.allSatisfy { cell.parameters[$0.key] == $0.value }
    }
}
