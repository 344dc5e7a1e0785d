import Measuring
import RunRecords

// The words of a claim's report.

extension Claim.Source {
    /// "Apple 2013, WWDC session 211", or "CoreStore, Issue 149".
    public var line: String {
        [author, year.map(String.init)].compactMap(\.self).joined(separator: " ") + ", \(title)"
    }
}

extension ClaimResult {
    /// The ratios that were measured where the claim was published, in a few words.
    var here: String {
        if let obstacle = claim.obstacle { return escaped(obstacle) }
        let published = answers.filter(\.hasPublishedConditions)
        let shown = (published.isEmpty ? answers : published).prefix(2)
        let rest = answers.count - shown.count
        guard !shown.isEmpty else { return "not measured" }
        return shown.map(\.told).joined(separator: "; ")
            + (rest > 0 ? "; \(rest) more" : "")
    }

    /// The published ratios in the words of the measured ones: "20× faster; 0.80× memory growth".
    /// Empty if only a direction was published.
    var publishedRatios: String {
        claim.asks.compactMap { ask in
            answers.first { $0.ask == ask }?.publishedRatio
        }.uniqued.joined(separator: "; ")
    }

    /// Where it holds; nil unless it holds under some of the conditions only.
    var bounds: String? {
        let decided = answers.filter { $0.outcome != .undecided }
        let failing = decided.filter { $0.outcome == .refuted }
        let holding = decided.filter { $0.outcome != .refuted }
        guard !failing.isEmpty, !holding.isEmpty else { return nil }
        let (word, shown) =
            failing.count <= holding.count ? ("except", failing) : ("only", holding)
        return "It holds \(word) for \(Self.conditions(of: shown).listed)."
    }

    /// The conditions of answers, those of the same sides and metric as one: "500 against 10000 with
    /// nested or shared (rows/s)".
    private static func conditions(of answers: [ClaimAnswer]) -> [String] {
        let keys = answers.map(\.comparison)
        return keys.uniqued.map { key in
            let labels = zip(keys, answers).filter { $0.0 == key }.map(\.1.contest.contest.label)
                .filter { !$0.isEmpty }
            // "saveSize 100, 500 or 2000" if they differ in one parameter.
            let names = labels.map { $0.split(separator: " ").dropLast().joined(separator: " ") }
            let isOneName = Set(names).count == 1 && names[0].split(separator: " ").count == 1
            let values =
                isOneName
                ? "\(names[0]) "
                    + labels.map { String($0.dropFirst(names[0].count + 1)) }.listed(with: "or")
                : labels.listed(with: "or")
            return labels.isEmpty ? key : "\(key) with \(escaped(values))"
        }
    }

    /// A sentence for each comparison.
    var details: [String] {
        answers.map { answer in
            "\(escaped(answer.question.sentence)) \(answer.condition): \(answer.told) – \(answer.word)."
        }
    }

    /// What the two sides of a comparison did, in one traced sample each; empty without traces.
    var causes: [String] {
        (explainable?.sides ?? []).compactMap { side in
            side.cell.trace.map { $0.cause(naming: side.value) }
        }
    }

    /// On what the verdict depends.
    var scope: String {
        let basis =
            switch claim.basis {
            case .arrangement: "This depends on the arrangement of contexts alone."
            case .engine: "This depends on what the engine’s own operations cost."
            }
        return [basis, claim.elsewhere.map(escaped)].compactMap(\.self).joined(separator: " ")
    }
}

extension Claim {
    /// The questions of its asks, each once.
    var questions: [String] { asks.map(\.question).uniqued }

    /// The command that asks it alone; nil if it cannot be asked here.
    var command: String? { asks.isEmpty ? nil : "swift run bench claims \(id)" }
}

extension ClaimAnswer {
    /// The sides of the comparison, and where they differ in nothing else: "500 against 10000 with
    /// nested".
    var condition: String {
        let label = contest.contest.label
        return pair + (label.isEmpty ? "" : " with \(escaped(label))")
    }

    private var pair: String {
        let text = VerdictText(question: question, result: contest)
        return "\(text.name(finding.cell)) against \(text.name(finding.reference))"
    }

    /// The sides of the comparison and the metric: "500 against 10000 in rows/s".
    fileprivate var comparison: String { "\(pair) in \(question.metric.title)" }

    /// "20× faster"; nil if only a direction was published.
    var publishedRatio: String? {
        ask.ratio.map { ratio in
            let metric = question.metric
            guard metric.isTime else { return "\(VerdictText.factor(ratio)) \(metric.title)" }
            return ratio < 1
                ? "\(VerdictText.factor(1 / ratio)) faster" : "\(VerdictText.factor(ratio)) slower"
        }
    }

    /// "2.1× faster [1.9, 2.3]".
    var told: String { VerdictText(question: question, result: contest).told(finding) }

    /// Its bearing on the claim, in a few words.
    var word: String {
        switch outcome {
        case .reproduced: "as published"
        case .directionOnly: "in the published direction"
        case .otherSize: "as published, in another size"
        case .refuted: "not as published"
        case .undecided: "open"
        }
    }
}
