extension ThresholdRule: CustomStringConvertible {
    /// The rule in a line, as "import nested*: median time ≤ 1.600× grdb".
    public var description: String {
        "\(workload) \(cell): \(statistic) \(metric) \(limit(as: Metric.named(metric)))"
    }

    fileprivate func limit(as metric: Metric) -> String {
        switch bound {
        case .atMost(let value): "≤ \(format(value, as: metric))"
        case .atLeast(let value): "≥ \(format(value, as: metric))"
        case .exactly(let value): "= \(format(value, as: metric))"
        }
    }

    fileprivate func format(_ value: Double, as metric: Metric) -> String {
        relativeTo.map { "\(fixed(value, 3))× \($0)" } ?? metric.unit.format(value)
    }
}

extension ThresholdVerdict: CustomStringConvertible {
    /// A line that begins with ✓, ✗ or ?, and says by how much and how sure.
    public var description: String {
        let question = "\(workload) \(cell): \(rule.statistic) \(rule.metric)"
        let limit = "limit \(rule.limit(as: metric))"
        switch outcome {
        case .held(let value):
            return "✓ \(question) \(format(value)), \(limit)\(doubt)"
        case .crossed(let value):
            let reason = rule.reason.isEmpty ? "" : " — \(rule.reason)"
            return "✗ \(question) \(format(value)), \(limit)\(doubt)\(reason)"
        case .cannotJudge(let reason):
            return "? \(question), \(limit): cannot judge, \(reason)"
        }
    }

    private func format(_ value: Double) -> String { rule.format(value, as: metric) }

    /// What to add when the interval reaches over the bound.
    private var doubt: String {
        guard let interval, interval.lower < interval.upper,
            rule.bound.holds(interval.lower) != rule.bound.holds(interval.upper)
        else { return "" }
        let range = "\(format(interval.lower)) to \(format(interval.upper))"
        return " (not certain: the interval is \(range); take more repetitions)"
    }
}

extension UnsoundCell: CustomStringConvertible {
    public var description: String {
        "✗ \(workload) \(cell): \(isWrongAnswer ? "wrong answer" : "failed"): \(reason)"
    }
}

extension ThresholdReport {
    /// The rules that did not hold, the crossed ones first, and how many did; a line each, for a report.
    var findings: [String] {
        let open = verdicts.filter(\.isCrossed) + verdicts.filter(\.isOpen)
        let heldCount = verdicts.count - open.count
        return open.map { escaped("\($0)") } + (heldCount > 0 ? ["✓ \(heldCount) held"] : [])
    }
}

extension ThresholdReport: CustomStringConvertible {
    /// A line for each unsound cell and each verdict, the crossed ones first, and a summary.
    public var description: String {
        let crossed = verdicts.filter(\.isCrossed)
        let open = verdicts.filter(\.isOpen)
        let held = verdicts.filter { !$0.isCrossed && !$0.isOpen }
        let lines = unsoundCells.map(\.description) + (crossed + open + held).map(\.description)
        let summary =
            "\(held.count) held, \(crossed.count) crossed, \(open.count) could not be judged, "
            + "\(unsoundCells.count) cells failed: \(exitCode.meaning) (exit \(exitCode.rawValue))"
        return (lines + [summary]).joined(separator: "\n")
    }
}

extension ThresholdError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .matchesNothing(let rule, let known):
            "the rule \"\(rule)\" matches no cell of the run; there are: \(Self.list(known))"
        case .unknownMetric(let rule, let known):
            "the rule \"\(rule)\" names a metric that no sample can have; there are: "
                + Self.list(known)
        case .unknownSubject(let rule, let known):
            "the rule \"\(rule)\" names a subject that did not run; there are: "
                + Self.list(known)
        }
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(12).joined(separator: ", ")
        return names.count > 12 ? "\(shown) and \(names.count - 12) more" : shown
    }
}
