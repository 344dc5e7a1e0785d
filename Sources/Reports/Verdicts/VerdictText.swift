import Foundation
import Measuring
import RunRecords

extension Finding.Verdict {
    /// The word of the verdict, the same in every report: "faster" or "slower" for times, "less" or
    /// "more" for other metrics, "equivalent", "undecided".
    public func word(for metric: Metric) -> String {
        switch self {
        case .less: metric.isTime ? "faster" : "less"
        case .more: metric.isTime ? "slower" : "more"
        case .equivalent: "equivalent"
        case .undecided: "undecided"
        }
    }

    /// `true` if the cell is known to be better than its reference, `false` if it is known to be
    /// worse, otherwise `nil`.
    func isBetter(by metric: Metric) -> Bool? {
        switch (self, metric.polarity) {
        case (.less, .lowerIsBetter), (.more, .higherIsBetter): true
        case (.more, .lowerIsBetter), (.less, .higherIsBetter): false
        default: nil
        }
    }

    /// What would decide it; `nil` if it is decided.
    var remedy: Finding.Remedy? {
        if case .undecided(_, let remedy) = self { remedy } else { nil }
    }

    /// Whether it has a ratio, and fewer rounds than a first look takes.
    var isBeforeFirstLook: Bool {
        ratio.map { $0.interval == nil } == true && remedy?.roundCount != nil
    }
}

extension MetricUnit {
    var isTime: Bool { self == .seconds || self == .nanoseconds }
}

extension Metric {
    var isTime: Bool { unit.isTime }
}

extension Question {
    /// ``sameBelow`` with its unit: "1.00 ms".
    var boundText: String? { sameBelow.map(metric.unit.format) }
}

/// Findings of one contest, in words.
struct VerdictText {
    let question: Question
    let result: ContestResult

    private var metric: Metric { question.metric }

    /// The verdict with its ratio and interval: "2.1× faster [1.9, 2.3]", "less peak memory (0.60×
    /// [0.55, 0.64])", "equivalent within 10 %", "undecided (1.04× [0.89, 1.21] so far, up to 10 % is
    /// equivalent; needs about 12 more rounds of both cells, 4 minutes)". Names the other cell unless it
    /// is the contest's reference: "2.1× slower [1.9, 2.3] against shared".
    func told(_ finding: Finding) -> String {
        guard let reference = result.reference, reference.identifier != finding.reference,
            floored(finding) == nil
        else { return verdict(finding) }
        return "\(verdict(finding)) against \(name(finding.reference))"
    }

    func verdict(_ finding: Finding) -> String {
        let word = finding.verdict.word(for: metric)
        if let floored = floored(finding) { return "\(word), \(floored)" }
        switch finding.verdict {
        case .less(let ratio) where metric.isTime:
            return
                "\(Self.factor(1 / ratio.estimate)) \(word)\(Self.interval(ratio, isInverted: true))"
        case .more(let ratio) where metric.isTime:
            return "\(Self.factor(ratio.estimate)) \(word)\(Self.interval(ratio))"
        case .less(let ratio) where isCounted && ratio.estimate > 0:
            return "\(Self.factor(1 / ratio.estimate)) fewer \(metric.title) (\(counts(finding)))"
        case .more(let ratio) where isCounted && ratio.estimate.isFinite:
            return "\(Self.factor(ratio.estimate)) more \(metric.title) (\(counts(finding)))"
        case .less, .more: return "\(word) \(metric.title) (\(self.ratio(finding)))"
        case .equivalent(let ratio):
            if let bound = question.boundText, areBelow([finding.cell, finding.reference]) {
                return "\(word), both under \(bound)"
            }
            let within = "\(word) within \(percent(question.sameWithin))"
            guard question.isExact else { return within }
            return ratio.estimate == 1
                ? "\(word), exactly the same" : "\(within) (\(self.ratio(finding)))"
        case .undecided(_, let remedy):
            let soFar = "\(ratio(finding)) so far"
            // The first screen says once what a first look takes.
            if finding.verdict.isBeforeFirstLook { return "\(word) (\(soFar))" }
            guard finding.verdict.ratio?.interval != nil else {
                return "\(word) (\(remedy.sentence))"
            }
            return "\(word) (\(soFar), up to \(percent(question.sameWithin)) is equivalent; "
                + "\(remedy.sentence))"
        }
    }

    /// The ratio to the reference: "105× [90, 120]", "exactly 0.60×", or "12 instead of 0" if it
    /// has no ratio.
    func ratio(_ finding: Finding) -> String {
        guard let ratio = finding.verdict.ratio else { return "no ratio" }
        if let floored = floored(finding) { return floored }
        // Measured counts may be 0 and are compared with 1 added to them, so the counts themselves
        // are more informative.
        guard metric.unit != .count || question.isExact, ratio.estimate > 0, ratio.estimate.isFinite
        else {
            return counts(finding)
        }
        return (question.isExact ? "exactly " : "") + Self.factor(ratio.estimate)
            + Self.interval(ratio)
    }

    /// "16.9× at least, since nested is under 8.00 ms": values below the bound count as the bound, so
    /// that the ratio is none of what was measured. `nil` if none or both are.
    func floored(_ finding: Finding) -> String? {
        guard let bound = question.boundText, finding.verdict.isDecided,
            let estimate = finding.verdict.ratio?.estimate
        else { return nil }
        let below = [finding.cell, finding.reference].filter { areBelow([$0]) }
        guard below.count == 1 else { return nil }
        let factor = Self.factor(max(estimate, 1 / estimate))
        return "\(factor) at least, since \(name(below[0])) is under \(bound)"
    }

    /// Whether the metric is a number of things and not of bytes, and is the same in each run.
    private var isCounted: Bool { question.isExact && metric.unit == .count }

    /// "12 instead of 0".
    private func counts(_ finding: Finding) -> String {
        let values = [finding.cell, finding.reference].map { value(of: $0) ?? "nothing" }
        return "\(values[0]) instead of \(values[1])"
    }

    /// The cell's typical value, with its unit.
    func value(of cell: String) -> String? {
        result.cells.first { $0.identifier == cell }.flatMap {
            Statistics.median(question.values(of: $0)).map(metric.unit.format)
        }
    }

    /// Whether the typical values of all cells count as ``Question/sameBelow``.
    func areBelow(_ cells: [String]) -> Bool {
        cells.allSatisfy { name in
            result.cells.first { $0.identifier == name }.map(question.isFloored) ?? false
        }
    }

    /// What distinguishes the cell from the others of its contest: "nested", "20".
    func name(_ cell: String) -> String {
        let place = result.contest.cells.firstIndex(of: cell)
        return escaped(place.map { result.contest.values[$0] } ?? cell)
    }

    static func interval(_ ratio: Finding.Ratio, isInverted: Bool = false) -> String {
        guard let interval = ratio.interval else { return "" }
        let bounds =
            isInverted
            ? [1 / interval.upperBound, 1 / interval.lowerBound]
            : [interval.lowerBound, interval.upperBound]
        return " [\(bounds.map { String(factor($0).dropLast()) }.joined(separator: ", "))]"
    }

    /// At least two significant digits: "0.0012×", "0.60×", "2.10×", "43.7×", "105×".
    static func factor(_ value: Double) -> String {
        switch value {
        case 100...: "\(grouped(value))×"
        case 0.1...: MetricUnit.ratio.format(value)
        case 0: "0×"
        default: String(format: "%.2g×", value)
        }
    }
}

extension Finding.Remedy {
    /// "needs about 12 more rounds of both cells, 4 minutes".
    public var sentence: String {
        switch self {
        case .rounds(let count, let seconds):
            "needs about \(count) more \(count == 1 ? "round" : "rounds") of both cells"
                + (seconds.map { ", \(MetricUnit.inWords(seconds: $0))" } ?? "")
        case .calmerMachine(let spread):
            "this machine is too noisy: the rounds’ ratios spread by \(percent(spread))"
        case .repetition: "the rounds contradict each other: measure again"
        case .measurement(let reason): reason
        }
    }
}
