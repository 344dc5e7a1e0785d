/// Holds a run against threshold rules.
public enum ThresholdCheck {
    /// Judges every rule on every cell it matches, in the order of rules and cells.
    ///
    /// A metric that samples may have and these do not, such as a percentile of few operations,
    /// cannot be judged.
    ///
    /// - Throws: ``ThresholdError`` when a rule matches no cell, names a metric that no matching
    ///   sample can have, or a subject that the matching workloads lack: it would never be judged.
    public static func evaluate(_ rules: [ThresholdRule], _ run: Run) throws -> ThresholdReport {
        let verdicts = try rules.flatMap { rule in
            let matches = try matches(of: rule, in: run)
            return try metrics(of: rule, in: matches).flatMap { metric in
                var rule = rule
                rule.metric = metric
                return matches.map { judge($0.cell, of: $0.workload, by: rule) }
            }
        }
        let unsound = run.workloads.flatMap { workload in
            workload.cells.compactMap { UnsoundCell($0, of: workload) }
        }
        return ThresholdReport(verdicts: verdicts, unsoundCells: unsound)
    }

    private typealias Match = (workload: WorkloadResult, cell: CellResult)

    private static func matches(of rule: ThresholdRule, in run: Run) throws -> [Match] {
        let matches: [Match] = run.workloads.filter { rule.workload.matches($0.name) }
            .flatMap { workload in
                workload.cells.filter { rule.cell.matches($0.identifier) }.map { (workload, $0) }
            }
        guard !matches.isEmpty else {
            let known = run.workloads.flatMap { workload in
                workload.cells.map { "\(workload.name) \($0.identifier)" }
            }
            throw ThresholdError.matchesNothing(rule, known: known)
        }
        if let subject = rule.relativeTo {
            let known = Set(matches.flatMap { $0.workload.cells.map(\.subject) })
            guard known.contains(subject) else {
                throw ThresholdError.unknownSubject(rule, known: known.sorted())
            }
        }
        return matches
    }

    /// The metrics that the rule's pattern fits; the pattern itself where none was measured.
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

    /// Whether samples of the cell may have what the rule asks about. A rule that stood beside the
    /// workload was held against the workload's metrics before anything ran.
    private static func mayHave(_ rule: ThresholdRule, _ match: Match) -> Bool {
        let workload = match.workload
        if workload.thresholds?.contains(rule) == true { return true }
        let metrics =
            Metric.wellKnown + Metric.counts + [workload.primaryMetric] + workload.extraMetrics
        return (metrics.map(\.name) + match.cell.samples.flatMap(\.percentileNames))
            .contains(where: Glob(rule.metric).matches)
    }

    private static func judge(
        _ cell: CellResult, of workload: WorkloadResult, by rule: ThresholdRule
    ) -> ThresholdVerdict {
        var verdict = ThresholdVerdict(
            rule: rule, workload: workload.name, cell: cell.identifier,
            metric: workload.metric(named: rule.metric), outcome: .cannotJudge(reason: ""))
        do throws(Obstacle) {
            let measured = try measure(cell, of: workload, for: rule)
            let value = measured.value
            verdict.outcome = rule.bound.holds(value) ? .held(value) : .crossed(value)
            verdict.interval = measured.interval
        } catch {
            verdict.outcome = .cannotJudge(reason: error.reason)
        }
        return verdict
    }

    private struct Measured {
        var value: Double
        var interval: MedianInterval?
    }

    /// Why there is no number to hold against the bound.
    private struct Obstacle: Error {
        var reason: String
    }

    private static func measure(
        _ cell: CellResult, of workload: WorkloadResult, for rule: ThresholdRule
    ) throws(Obstacle) -> Measured {
        guard cell.isSound else { throw Obstacle(reason: "the cell failed") }
        if cell.isSaturated, Metric.named(rule.metric).isIntended {
            throw Obstacle(
                reason: "the load was saturated: its latencies tell how long it lasted")
        }
        guard let subject = rule.relativeTo else {
            if let latencies = cell.mergedLatencies(named: rule.metric) {
                return try measure(latencies, by: rule.statistic)
            }
            return try measure(cell.values(of: rule.metric), of: rule, in: cell)
        }
        guard let reference = workload.counterpart(of: cell, subject: subject) else {
            throw Obstacle(reason: "\(subject) has no cell with the same parameters")
        }
        guard reference.isSound else { throw Obstacle(reason: "\(subject) failed") }
        let logRatios = Statistics.pairedLogRatios(of: rule.metric, cell, to: reference)
        guard !logRatios.isEmpty else {
            throw Obstacle(
                reason: "no round has \(rule.metric) of it and of \(subject)"
                    + remedy(for: rule.metric, in: cell))
        }
        return try measure(logRatios.map(Statistics.exponential), of: rule, in: cell)
    }

    private static func measure(
        _ values: [Double], of rule: ThresholdRule, in cell: CellResult
    ) throws(Obstacle) -> Measured {
        guard let lowest = values.min(), let highest = values.max() else {
            throw Obstacle(
                reason: "no sample has \(rule.metric)" + remedy(for: rule.metric, in: cell))
        }
        switch rule.statistic {
        case .min: return Measured(value: lowest)
        case .max: return Measured(value: highest)
        case .median:
            return Measured(
                value: Statistics.median(values) ?? lowest,
                interval: Statistics.medianInterval(values))
        case .p99:
            guard values.count >= 1_000, let value = Statistics.quantile(values, 0.99) else {
                throw Obstacle(
                    reason: "a p99 needs 1,000 samples, there are \(grouped(Double(values.count)))")
            }
            return Measured(value: value)
        }
    }

    /// How samples come to have that metric, to be said after its name; empty where nobody knows.
    private static func remedy(for metric: String, in cell: CellResult) -> String {
        let operations = [".p50": 20.0, ".p99": 1_000, ".p999": 10_000]
        if let needed = operations.first(where: { metric.hasSuffix($0.key) })?.value {
            return ", which needs \(grouped(needed)) operations a sample"
        }
        if metric == Metric.instructions.name { return "; run with --instructions" }
        let isCount = Metric.counts.contains { $0.name == metric }
        return isCount && cell.counts == nil ? "; run without --no-counts" : ""
    }

    private static func measure(
        _ latencies: LatencyRecorder, by statistic: ThresholdRule.Statistic
    ) throws(Obstacle) -> Measured {
        let value: UInt64? =
            switch statistic {
            case .median: latencies.percentile(0.5)
            case .p99: latencies.percentile(0.99)
            case .max: latencies.maxNanoseconds
            case .min:
                throw Obstacle(reason: "latencies have no minimum here; use median, p99, max")
            }
        guard let value else {
            throw Obstacle(
                reason: "\(grouped(Double(latencies.count))) latencies are too few for \(statistic)"
            )
        }
        return Measured(value: Double(value))
    }
}
