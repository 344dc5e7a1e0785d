import Measuring
import RunRecords

extension ComparisonReport: CustomStringConvertible {
    /// For a terminal: a line for each row that changed or cannot be judged, then a summary with
    /// the exit code.
    public var description: String {
        let shown = rows(.regressed) + rows(.improved) + rows(.inconclusive)
        let hidden = rows.count - shown.count
        let counts = Verdict.allCases.map { "\(rows($0).count) \($0.rawValue)" }
        var lines = unsoundCells.map(\.description)
        if !shown.isEmpty { lines.append(AlignedLines(shown.map(\.line)).description) }
        lines.append(
            "\(head.title) against \(base.title): \(counts.joined(separator: ", "))"
                + (hidden == 1 ? "; 1 unchanged row is not shown" : "")
                + (hidden > 1 ? "; \(hidden) unchanged rows are not shown" : ""))
        lines.append("\(meaning) (exit \(exitCode.rawValue))")
        return lines.joined(separator: "\n")
    }
}

extension ComparisonReport.Arm {
    /// The name, followed by the commit if it differs.
    public var title: String {
        guard let commit, commit != name else { return name }
        return "\(name) (\(commit.prefix(10)))"
    }
}

extension Comparison {
    fileprivate var line: [String] {
        let values = [base, head].map { $0.map(metric.unit.format) ?? "–" }
        return [
            mark, verdict.rawValue, "\(workload) \(cell)", metric.name,
            values.joined(separator: " → "), change, certainty, reason ?? "",
        ]
    }

    private var mark: String {
        switch verdict {
        case .regressed: "✗"
        case .inconclusive: "?"
        case .improved, .ok: "✓"
        }
    }

    private var certainty: String {
        switch rule {
        case .exact: return "exact"
        case .growth(let limit):
            return "per row with few → many rows, \(fixed(limit, 2)) × is allowed"
        case .paired: break
        }
        let p = pValue.map { "p \(fixed($0, 4))" }
        let effect = minimumDetectableEffect.map { "smallest change shown \(percent($0))" }
        return [p, effect].compactMap(\.self).joined(separator: ", ")
    }
}
