import Foundation
import Measuring
import RunRecords

extension Comparison {
    /// The cell and its metric, such as "import nested/pooled time".
    var name: String { "\(workload) \(cell) \(metric.title)" }

    /// The verdict and its evidence in a sentence for a reader.
    public var sentence: String {
        let subject = "**\(escaped("\(workload) \(cell)"))**"
        switch verdict {
        case .regressed, .improved:
            return "\(subject) \(finding)." + (reason.map { " It \(escaped($0))." } ?? "")
        case .ok:
            if case .growth = rule { return "\(subject) costs \(growth)." }
            return "\(subject): \(metric.title) did not change\(proof)."
        case .inconclusive:
            return "\(subject): \(metric.title) cannot be judged: "
                + "\(escaped(reason ?? "there is too little data"))\(hint)."
        }
    }

    private var finding: String {
        if case .growth = rule { return "costs \(growth)" }
        guard case .paired = rule else { return "\(changeInWords)\(limit)" }
        return ([changeInWords + atLeast, agreement] + (confirmation.isEmpty ? [] : [confirmed]))
            .joined(separator: "; ")
    }

    /// "is 8.4 % slower", "has 3 % more statements".
    private var changeInWords: String {
        guard let ratio, ratio > 0 else {
            return "has \((head ?? 0) > (base ?? 0) ? "more" : "less") \(metric.title)"
        }
        let share = percent(abs(ratio - 1))
        switch (metric.unit, ratio > 1) {
        case (.seconds, true), (.nanoseconds, true): return "is \(share) slower in \(metric.title)"
        case (.seconds, false), (.nanoseconds, false):
            return "is \(share) faster in \(metric.title)"
        case (_, true): return "has \(share) more \(metric.title)"
        case (_, false): return "has \(share) less \(metric.title)"
        }
    }

    private var atLeast: String {
        guard let interval, let ratio else { return "" }
        let nearest = ratio > 1 ? interval.lower - 1 : 1 - interval.upper
        return nearest > 0 ? " (at least \(percent(nearest)))" : ""
    }

    private var agreement: String {
        let agreeing = pairs.count { ($0.logRatio > 0) == ((ratio ?? 1) > 1) }
        return "\(agreeing) of \(pairs.count) pairs agree"
    }

    private var confirmed: String {
        let agreeing = confirmation.count { ($0.logRatio > 0) == ((ratio ?? 1) > 1) }
        return "confirmed by \(agreeing) of \(confirmation.count) fresh pairs"
    }

    /// For counts: the values before and now, and the allowed difference.
    private var limit: String {
        let values = ": \(told(base)) before, \(told(head)) now"
        guard case .exact(let tolerance) = rule else { return values }
        return values
            + (tolerance > 0 ? " (±\(percent(tolerance)) is allowed)" : " (must be equal)")
    }

    /// "2.31 × as many instructions per row with many rows as with few: 5,120 with few, 11,830 with
    /// many (1.30 × is allowed)".
    private var growth: String {
        guard case .growth(let limit) = rule else { return "" }
        return
            "\(fixed(ratio ?? 0, 2)) × as many \(metric.title) per row with many rows as with few: "
            + "\(told(base)) with few, \(told(head)) with many (\(fixed(limit, 2)) × is allowed)"
    }

    private var proof: String {
        switch rule {
        case .exact: ": \(told(head))"
        case .growth: ""
        case .paired:
            minimumDetectableEffect.map { "; a change of \(percent($0)) would have been seen" }
                ?? ""
        }
    }

    private var hint: String {
        guard case .paired = rule, let effect = minimumDetectableEffect else { return "" }
        return "; only a change of \(percent(effect)) or more would have been seen"
    }

    private func told(_ value: Double?) -> String { value.map(metric.unit.format) ?? "no value" }
}

extension ComparisonReport {
    /// What was compared, for example "main → head".
    var title: String { "\(base.name) → \(head.name)" }

    /// The result in a sentence.
    public var sentence: String {
        let regressed = rows(.regressed).count
        let improved = rows(.improved).count
        let open = rows(.inconclusive).count
        let all = "\(rows.count) \(rows.count == 1 ? "row" : "rows")"
        var clauses: [String] = []
        if regressed > 0 { clauses.append("**\(regressed) of \(all) regressed**") }
        if improved > 0 { clauses.append("\(improved) improved") }
        if open > 0 { clauses.append("\(open) could not be judged") }
        let steady = rows.count - regressed - improved - open
        if steady > 0 {
            clauses.append(
                clauses.isEmpty
                    ? "**none of \(all) changed**" : "\(steady) did not change")
        }
        if !unsoundCells.isEmpty {
            let cells = unsoundCells.count == 1 ? "1 cell" : "\(unsoundCells.count) cells"
            clauses.insert("**✗ \(cells) failed or gave a wrong answer**", at: 0)
        }
        if isInterrupted { clauses.insert("**interrupted before all rows were measured**", at: 0) }
        return clauses.isEmpty ? "Nothing was compared." : clauses.listed.capitalizedFirst + "."
    }
}

extension String {
    /// With a capital first letter, after any marks for bold text.
    var capitalizedFirst: String {
        guard let index = firstIndex(where: \.isLetter), self[..<index].allSatisfy({ $0 == "*" })
        else { return self }
        return self[..<index] + self[index].uppercased() + self[self.index(after: index)...]
    }
}
