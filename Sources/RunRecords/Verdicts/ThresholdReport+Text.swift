import Measuring

extension ThresholdRule: CustomStringConvertible {
    /// The rule in one line, such as "import nested*: median time ≤ 1.600× grdb".
    public var description: String {
        let known = Metric.named(metric)
        return "\(workload) \(cell): \(figure(as: known)) \(limit(as: known))"
    }

    /// "median time", or "statements" for a count that must be exactly so in every sample.
    fileprivate func figure(as metric: Metric) -> String {
        isOfEverySample(metric) ? self.metric : "\(statistic.rawValue) \(self.metric)"
    }

    fileprivate func limit(as metric: Metric) -> String {
        switch bound {
        case .atMost(let value): return "≤ \(format(value, as: metric))"
        case .atLeast(let value): return "≥ \(format(value, as: metric))"
        case .exactly(let value):
            let places = isOfEverySample(metric) ? " in every sample" : ""
            return "= \(format(value, as: metric))\(places)"
        }
    }

    private func isOfEverySample(_ metric: Metric) -> Bool {
        if case .exactly = bound { statistic == .median && metric.unit == .count } else { false }
    }

    fileprivate func format(_ value: Double, as metric: Metric) -> String {
        relativeTo.map { "\(fixed(value, 3))× \($0)" } ?? metric.unit.format(value)
    }
}

extension ThresholdVerdict: CustomStringConvertible {
    /// A line that begins with ✓, ✗ or ? and shows the value, its interval and the limit.
    public var description: String {
        let question =
            "\(workload) \(cell): \(rule.figure(as: metric))"
        let limit = "limit \(rule.limit(as: metric))"
        switch outcome {
        case .held(let value):
            return "✓ \(question) \(format(value))\(range), \(limit)"
        case .crossed(let value):
            let reason = rule.reason.isEmpty ? "" : " — \(rule.reason)"
            return "✗ \(question) \(format(value))\(range), \(limit)\(reason)"
        case .cannotJudge(let reason):
            return "? \(question), \(limit): cannot be judged: \(reason)"
        }
    }

    private func format(_ value: Double) -> String { rule.format(value, as: metric) }

    /// The interval, unless it has no width.
    private var range: String {
        guard let interval, interval.lower < interval.upper else { return "" }
        return " (\(format(interval.lower)) to \(format(interval.upper)))"
    }

    /// Why an estimate is not certain, and what would decide it.
    ///
    /// - Parameter needed: the number of rounds that will probably decide; `nil` if no number does.
    func doubt(about median: Double, of roundCount: Int, _ needed: Int?) -> String {
        let rounds = "\(roundCount) \(roundCount == 1 ? "round" : "rounds")"
        return "not certain, \(format(median))\(range) in \(rounds)"
            + (needed.map { "; about \($0) rounds would decide" }
                ?? "; the limit is too close for more rounds to decide")
    }
}

extension ThresholdRule.Reference: CustomStringConvertible {
    /// Such as "grdb", "mode=loop" or "shared/fetchBatchSize=0".
    public var description: String {
        let values = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [subject, values.isEmpty ? nil : values.joined(separator: ",")]
            .compactMap(\.self).joined(separator: "/")
    }
}

extension UnsoundCell: CustomStringConvertible {
    public var description: String {
        "✗ \(workload) \(cell): \(isWrongAnswer ? "wrong answer" : "failed"): \(reason)"
    }
}

extension ThresholdReport: CustomStringConvertible {
    /// A line for each crossed rule, each unsound cell and each other verdict, then a summary.
    public var description: String {
        let crossed = verdicts.filter(\.isCrossed)
        let open = verdicts.filter(\.isOpen)
        let held = verdicts.filter { !$0.isCrossed && !$0.isOpen }
        let lines =
            crossed.map(\.description) + unsoundCells.map(\.description)
            + (open + held).map(\.description)
        let summary =
            "\(held.count) held, \(crossed.count) crossed, \(open.count) could not be judged, "
            + "\(unsoundCells.count) \(unsoundCells.count == 1 ? "cell" : "cells") failed: "
            + "\(exitCode.meaning) (exit \(exitCode.rawValue))"
        return (lines + [summary]).joined(separator: "\n")
    }
}

extension ThresholdError {
    public var rule: ThresholdRule {
        switch self {
        case .unknownWorkload(let rule, _), .matchesNothing(let rule, _),
            .unknownMetric(let rule, _),
            .unknownSubject(let rule, _), .fixedParameter(let rule, _, _),
            .unknownValue(let rule, _, _), .comparesWithItself(let rule):
            rule
        }
    }

    /// The path of keys to the part of the rule that is wrong.
    public var keys: [String] {
        switch self {
        case .unknownWorkload: ["workload"]
        case .matchesNothing: ["cell"]
        case .unknownMetric: ["metric"]
        case .unknownSubject: ["relativeTo", "subject"]
        case .fixedParameter(_, let name, _), .unknownValue(_, let name, _): ["relativeTo", name]
        case .comparesWithItself: ["relativeTo"]
        }
    }
}

extension ThresholdError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownWorkload(let rule, let known):
            "the rule \"\(rule)\" matches no workload of the run; the workloads are "
                + Self.list(known)
        case .matchesNothing(let rule, let known):
            "the rule \"\(rule)\" matches no cell of its workloads; their cells are "
                + Self.list(known)
        case .unknownMetric(let rule, let known):
            "the rule \"\(rule)\" names a metric that no sample can have; the metrics are "
                + Self.list(known)
        case .unknownSubject(let rule, let known):
            "the rule \"\(rule)\" names a subject that did not run; the subjects are "
                + Self.list(known)
        case .fixedParameter(let rule, let name, let known):
            "the rule \"\(rule)\" names the parameter \(name), which has one value only; "
                + (known.isEmpty
                    ? "no parameter of the workload has several"
                    : "parameters with several values: \(Self.list(known))")
        case .unknownValue(let rule, let name, let known):
            "the rule \"\(rule)\" names a value that no cell has; the values of \(name) are "
                + Self.list(known)
        case .comparesWithItself(let rule):
            "the rule \"\(rule)\" compares each cell with itself; name other cells in cell"
        }
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(12).joined(separator: ", ")
        return names.count > 12 ? "\(shown) and \(names.count - 12) more" : shown
    }
}
