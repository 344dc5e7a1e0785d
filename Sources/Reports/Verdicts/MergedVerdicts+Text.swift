import Measuring
import RunRecords

extension MergedVerdicts {
    private var comparisons: [Comparison] { questions.flatMap(\.comparisons) }

    /// "162 of 169 comparisons are decided alike in 2026-11-28 and 2026-11-29, 1 differently. 6 of 157
    /// have a ratio outside the interval of another run."
    var headline: String {
        let all = comparisons
        let contradictions = all.count(where: \.isContradictory)
        let moved = all.compactMap(\.isMoved)
        return "\(all.count(where: \.isDecided)) of \(all.count) comparisons are decided alike in "
            + "\(names.map(escaped).listed), \(contradictions) differently. "
            + "\(moved.count { $0 }) of \(moved.count) have a ratio outside the interval of another run."
    }

    /// The headline, and what the runs decided differently.
    public var terminalText: String {
        var table = ReportTable([("decided differently", .left), ("by the runs", .left)])
        for question in questions {
            for comparison in question.comparisons where comparison.isContradictory {
                table.append([
                    "\(question.stated.id): \(name(comparison))",
                    comparison.findings.map(\.verdict).joined(separator: ", then "),
                ])
            }
        }
        for claim in changedClaims {
            table.append([
                "claim \(claim.id)", claim.verdicts.map(\.title).joined(separator: ", then "),
            ])
        }
        return table.isEmpty ? headline : "\(headline)\n\n\(table.terminalText())"
    }

    private var changedClaims: [(id: String, verdicts: [ClaimVerdict])] {
        claims.filter { Set($0.verdicts).count > 1 }
    }

    var markdown: String {
        var paragraphs = [
            "# Runs of different days", "**\(headline)**",
            "The first interval of a line goes from the lowest end of the runs’ intervals to the "
                + "highest, so it includes what changed between the runs. The runs’ own ratios follow "
                + "in the order \(names.map(escaped).listed).",
        ]
        if leftOutCount > 0 {
            paragraphs.append(
                leftOutCount == 1
                    ? "One comparison that not all runs have is left out."
                    : "\(leftOutCount) comparisons that not all runs have are left out.")
        }
        if !changedClaims.isEmpty {
            paragraphs.append("## Claims with another verdict")
            paragraphs.append(
                changedClaims.map { claim in
                    "- \(claim.id): \(claim.verdicts.map(\.title).joined(separator: ", then "))"
                }.joined(separator: "\n"))
        }
        paragraphs.append("## Comparisons")
        for question in questions {
            paragraphs += ["### \(escaped(question.stated.id))", conditions(of: question)]
            paragraphs.append(
                lines(of: question).map { "- \($0)" }.joined(separator: "\n"))
        }
        return paragraphs.joined(separator: "\n\n") + "\n"
    }

    /// The question and its bounds.
    private func conditions(of question: Question) -> String {
        let stated = question.stated
        let bound = stated.sameBelow.map {
            " Values below \(stated.unit.format($0)) count as \(stated.unit.format($0)), so that "
                + "a ratio to one of them is the least that it can be."
        }
        let addition =
            stated.unit == .count && question.comparisons.contains { $0.interval != nil }
            ? " Counts are compared with 1 added to them." : ""
        return "\(escaped(stated.sentence)) Within \(percent(stated.sameWithin)) is the same."
            + (bound ?? "") + addition
    }

    /// A line for each comparison: "nested against shared with saveSize 10: 4.6× slower [1.6, 16], of
    /// 4.9× and 4.4×".
    func lines(of question: Question) -> [String] {
        question.contests.flatMap { contest in
            contest.comparisons.map { comparison in
                let label = contest.stated.label
                let condition = label.isEmpty ? "" : " with \(escaped(label))"
                return name(comparison) + condition + ": "
                    + Self.told(comparison, in: question.stated.unit)
            }
        }
    }

    /// The parts in which the names of the two cells differ; the label has those that they share.
    private func name(_ comparison: Comparison) -> String {
        let cell = comparison.cell.split { "/,".contains($0) }
        let reference = comparison.reference.split { "/,".contains($0) }
        func own(_ parts: [Substring], without others: [Substring]) -> String {
            let left = parts.filter { !others.contains($0) }
            return escaped((left.isEmpty ? parts : left).joined(separator: ", "))
        }
        return "\(own(cell, without: reference)) against \(own(reference, without: cell))"
    }

    /// "4.6× slower [1.6, 16], of 4.9× and 4.4×".
    static func told(_ comparison: Comparison, in unit: MetricUnit) -> String {
        let verdict = comparison.verdict
        let isInverted = unit.isTime && verdict == "faster"
        func factor(_ ratio: Double) -> String {
            VerdictText.factor(isInverted ? 1 / ratio : ratio)
        }
        var text =
            comparison.isDecided
            ? verdict
            : comparison.findings.map(\.verdict).uniqued.joined(separator: ", then ")
        if let ratio = comparison.ratio {
            let interval = VerdictText.interval(
                Finding.Ratio(estimate: ratio, interval: comparison.interval),
                isInverted: isInverted)
            let isFactor = unit.isTime && (verdict == "faster" || verdict == "slower")
            text =
                isFactor
                ? "\(factor(ratio)) \(text)\(interval)" : "\(text), \(factor(ratio))\(interval)"
        }
        let own = comparison.findings.map { $0.ratio.map(factor) ?? "nothing" }
        return Set(own).count == 1 ? text : "\(text), of \(own.listed)"
    }
}
