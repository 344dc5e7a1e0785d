import Measuring

extension ThresholdCheck {
    /// What a cell has for a rule: a number, values whose median is estimated, or nothing.
    public struct Finding {
        private var verdict: ThresholdVerdict
        private var content: Content
        /// Whether it is a count that depends on the schedule, so that one sample decides nothing.
        private let isScheduled: Bool

        private enum Content {
            case number(Double)
            /// The values of the rounds; at least one.
            case estimate([Double])
            case nothing(reason: String)
        }

        public init(
            _ rule: ThresholdRule, _ cell: CellResult, of workload: WorkloadResult,
            _ build: BuildConfiguration
        ) {
            let metric = workload.metric(named: rule.metric)
            isScheduled = workload.isScheduled(rule, of: cell)
            verdict = ThresholdVerdict(
                rule: rule, workload: workload.name, cell: cell.identifier, metric: metric,
                outcome: .cannotJudge(reason: ""))
            do throws(Obstacle) {
                let found = try Self.content(cell, of: workload, for: rule)
                guard build.hasTimes || !metric.unit.isOfTime else {
                    throw Obstacle(
                        reason: "times of a \(build) build mean nothing; run a plain release build")
                }
                content = found
            } catch {
                content = .nothing(reason: error.reason)
            }
        }

        var isEstimate: Bool {
            if case .estimate = content { true } else { false }
        }

        /// - Parameter estimateCount: the number of estimates, which share the error of the check.
        public func verdict(besides estimateCount: Int) -> ThresholdVerdict {
            let confidence = 1 - errorRate / Double(max(estimateCount, 1))
            var verdict = verdict
            let cause =
                isScheduled ? "the counts of \(verdict.workload) depend on the schedule; " : ""
            let bound = verdict.rule.bound
            switch content {
            case .nothing(let reason): verdict.outcome = .cannotJudge(reason: reason)
            case .number(let value):
                verdict.outcome = bound.holds(value) ? .held(value) : .crossed(value)
            case .estimate(let values):
                let interval = Statistics.medianInterval(values, confidence: confidence)
                let median = Statistics.median(values) ?? values[0]
                guard let interval, interval.coverage >= confidence else {
                    let needed = Statistics.smallestCount(confidence: confidence)
                    let rules = estimateCount == 1 ? "1 rule needs" : "\(estimateCount) rules need"
                    let rounds = values.count == 1 ? "1 round" : "\(values.count) rounds"
                    verdict.outcome = .cannotJudge(
                        reason: "\(cause)\(rules) \(needed) rounds, and this run has \(rounds)")
                    return verdict
                }
                verdict.interval = interval
                if let isHeld = bound.holds(interval) {
                    verdict.outcome = isHeld ? .held(median) : .crossed(median)
                } else {
                    let needed = Statistics.countNeeded(values, confidence: confidence) {
                        bound.holds($0) != nil
                    }
                    verdict.outcome = .cannotJudge(
                        reason: cause + verdict.doubt(about: median, of: values.count, needed))
                }
            }
            return verdict
        }
    }
}

/// Why there is no number to compare with the bound.
private struct Obstacle: Error {
    var reason: String
}

extension ThresholdCheck.Finding {
    private static func content(
        _ cell: CellResult, of workload: WorkloadResult, for rule: ThresholdRule
    ) throws(Obstacle) -> Content {
        guard cell.isSound else { throw Obstacle(reason: "the cell failed") }
        if cell.isSaturated, Metric.named(rule.metric).isIntended {
            throw Obstacle(
                reason: "the load was saturated, so its latencies only show how long it lasted")
        }
        let isScheduled = workload.isScheduled(rule, of: cell)
        let isCount = !isScheduled && workload.isCount(rule.metric, of: cell)
        guard let relativeTo = rule.relativeTo else {
            if let latencies = cell.mergedLatencies(named: rule.metric) {
                return .number(try number(latencies, by: rule.statistic))
            }
            if isScheduled { return try scheduledContent(cell, of: workload, for: rule) }
            return try content(cell.values(of: rule.metric), of: rule, in: cell, isCount: isCount)
        }
        guard let reference = workload.counterpart(of: cell, relativeTo) else {
            throw Obstacle(
                reason: "no cell of \(relativeTo) has the same other parameters")
        }
        guard reference.isSound else { throw Obstacle(reason: "\(reference.identifier) failed") }
        if isCount { return .number(try ratioOfCounts(cell, to: reference, by: rule)) }
        let logRatios = Statistics.pairedLogRatios(of: rule.metric, cell, to: reference)
        guard !logRatios.isEmpty else {
            throw Obstacle(
                reason: "no round has \(rule.metric) of this cell and of \(reference.identifier)"
                    + remedy(for: rule.metric, in: cell))
        }
        let pairCount = Statistics.pairCount(of: rule.metric, cell, reference)
        guard !isScheduled || logRatios.count == pairCount else {
            throw Obstacle(
                reason:
                    "there is no ratio in \(pairCount - logRatios.count) of \(pairCount) rounds, "
                    + "because this cell or \(reference.identifier) has 0; limit the count itself, "
                    + "without relativeTo")
        }
        return try content(
            logRatios.map(Statistics.exponential), of: rule, in: cell, isCount: false)
    }

    /// A count of contending threads: its samples are estimates, and the counting pass is one more
    /// schedule.
    private static func scheduledContent(
        _ cell: CellResult, of workload: WorkloadResult, for rule: ThresholdRule
    ) throws(Obstacle) -> Content {
        let values = workload.reportedValues(of: rule.metric, in: cell)
        guard !workload.isCountedApart(rule.metric, in: cell) else {
            throw Obstacle(
                reason: "the counts of \(workload.name) depend on the schedule; \(rule.metric) was "
                    + "counted once and in no round, so name a metric that the rounds have")
        }
        // One sample that differs is enough, as of a count that repeats.
        if case .exactly(let limit) = rule.bound, rule.statistic == .median,
            let other = values.first(where: { $0 != limit })
        {
            return .number(other)
        }
        return try content(values, of: rule, in: cell, isCount: false)
    }

    private static func ratioOfCounts(
        _ cell: CellResult, to reference: CellResult, by rule: ThresholdRule
    ) throws(Obstacle) -> Double {
        let count = try number(cell.values(of: rule.metric), of: rule, in: cell)
        let other = try number(reference.values(of: rule.metric), of: rule, in: reference)
        guard other != 0 else {
            throw Obstacle(reason: "there is no ratio, because \(reference.identifier) has 0")
        }
        return count / other
    }

    private static func content(
        _ values: [Double], of rule: ThresholdRule, in cell: CellResult, isCount: Bool
    ) throws(Obstacle) -> Content {
        // A count of faults is wrong if any sample has one.
        if isCount, case .exactly(let limit) = rule.bound, rule.statistic == .median,
            let farthest = values.max(by: { abs($0 - limit) < abs($1 - limit) })
        {
            return .number(farthest)
        }
        let number = try number(values, of: rule, in: cell)
        return isCount || rule.statistic != .median ? .number(number) : .estimate(values)
    }

    private static func number(
        _ values: [Double], of rule: ThresholdRule, in cell: CellResult
    ) throws(Obstacle) -> Double {
        guard let lowest = values.min(), let highest = values.max() else {
            throw Obstacle(
                reason: "no sample has \(rule.metric)" + remedy(for: rule.metric, in: cell))
        }
        switch rule.statistic {
        case .min: return lowest
        case .max: return highest
        case .median: return Statistics.median(values) ?? lowest
        case .p99:
            guard values.count >= 1_000, let value = Statistics.quantile(values, 0.99) else {
                throw Obstacle(
                    reason: "a p99 needs 1,000 samples, there are \(grouped(Double(values.count)))")
            }
            return value
        }
    }

    /// How to get samples with that metric, to follow its name; empty if there is no known way.
    private static func remedy(for metric: String, in cell: CellResult) -> String {
        let operations = [".p50": 20.0, ".p95": 200, ".p99": 1_000, ".p999": 10_000]
        if let needed = operations.first(where: { metric.hasSuffix($0.key) })?.value {
            return
                ", which needs \(grouped(needed)) operations per sample: more rows or a longer one"
        }
        if metric == Metric.instructions.name { return "; run with --instructions" }
        let isCount = Metric.counts.contains { $0.name == metric }
        return isCount && cell.counts == nil ? "; run with --counts" : ""
    }

    private static func number(
        _ latencies: LatencyRecorder, by statistic: ThresholdRule.Statistic
    ) throws(Obstacle) -> Double {
        let value: UInt64? =
            switch statistic {
            case .median: latencies.percentile(0.5)
            case .p99: latencies.percentile(0.99)
            case .max: latencies.maxNanoseconds
            case .min:
                throw Obstacle(reason: "latencies have no minimum; use median, p99 or max")
            }
        guard let value else {
            throw Obstacle(
                reason: "\(grouped(Double(latencies.count))) latencies are too few for \(statistic)"
            )
        }
        return Double(value)
    }
}

extension WorkloadResult {
    /// Whether the metric is counted, not measured. A count is judged as it is.
    fileprivate func isCount(_ metric: String, of cell: CellResult) -> Bool {
        ([primaryMetric] + extraMetrics).contains { $0.name == metric && $0.unit == .count }
            || Metric.counts.contains { $0.name == metric }
            || cell.samples.contains { $0.counters[metric] != nil }
    }

    /// Whether its rounds show a count of threads in contention. One schedule says little about
    /// others, so that a count of one operation does not.
    func hasScheduledCounts(_ metric: String, of cell: CellResult) -> Bool {
        !countsRepeat && isCount(metric, of: cell)
            && cell.samples.contains { $0.value(of: metric)?.isFinite == true }
    }

    /// The values of a cell of which a median is reported and judged: the count of one operation, or
    /// those of the rounds.
    public func reportedValues(of metric: String, in cell: CellResult) -> [Double] {
        guard hasScheduledCounts(metric, of: cell) else { return cell.values(of: metric) }
        return cell.samples.compactMap { $0.value(of: metric) }.filter(\.isFinite)
    }

    /// Whether ``reportedValues(of:in:)`` is the count of one operation, which no round has.
    public func isCountedApart(_ metric: String, in cell: CellResult) -> Bool {
        cell.isCountedApart(metric) && !hasScheduledCounts(metric, of: cell)
    }

    /// Whether the rule is about a count that threads in contention make. What must be exactly so in
    /// every sample and is declared by the kind, such as no lost update, is a check of each sample.
    fileprivate func isScheduled(_ rule: ThresholdRule, of cell: CellResult) -> Bool {
        guard !countsRepeat, isCount(rule.metric, of: cell) else { return false }
        guard case .exactly = rule.bound, rule.statistic == .median else { return true }
        return !([primaryMetric] + extraMetrics).contains { $0.name == rule.metric }
    }
}

extension MetricUnit {
    /// Whether values are times or made of times, as a ratio of costs is.
    fileprivate var isOfTime: Bool {
        switch self {
        case .seconds, .nanoseconds, .perSecond, .ratio: true
        case .bytes, .count: false
        }
    }
}
