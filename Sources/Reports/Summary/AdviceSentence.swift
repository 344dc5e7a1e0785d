import Measuring
import RunRecords

/// A sentence "If …, take …; avoid …", derived from the verdicts of a rule's questions.
struct AdviceSentence {
    private let rule: AdviceRule
    /// In the rule's order; `nil` for questions that are not in the run.
    private let results: [QuestionResult?]

    init(_ rule: AdviceRule, of workload: WorkloadResult, in all: [QuestionResult]) {
        self.rule = rule
        results = rule.questions.map { name in
            all.first { $0.identifier == name }
                ?? all.first { $0.identifier == "\(workload.name).\(name)" }
        }
    }

    var markdown: String {
        let start = "If \(escaped(rule.condition)), "
        guard let first = results.first ?? nil else {
            return start
                + "this run has no answer, because it does not ask `\(rule.questions.first ?? "")`."
        }
        let ballot = Ballot(first)
        guard !ballot.taken.isEmpty else {
            return ([start + ballot.indecision] + ballot.doubts).joined(separator: " ")
        }
        var taken = ballot.taken
        var dropped: [String] = []
        for result in results.dropFirst().compactMap(\.self) {
            let further = Ballot(result)
            let worse = further.worse.filter { entry in taken.contains(entry.name) }
            guard worse.count < taken.count else { continue }
            taken.removeAll { name in worse.contains { $0.name == name } }
            let verb = further.question.metric.isTime ? "is" : "has"
            dropped += worse.map { "\($0.name) \(verb) \($0.told)" }
        }
        let sentence = ballot.sentence(taking: taken)
        let reasons = dropped.isEmpty ? [] : ["Among the equivalent ones, \(dropped.listed)."]
        return ([start + sentence] + reasons + ballot.doubts).joined(separator: " ")
    }
}

/// What one question says about all of its cells, by their names.
private struct Ballot {
    let question: Question
    /// Known to be the best, or equivalent to it, in every contest that has the cell; best first.
    private(set) var taken: [String] = []
    /// Not known to be worse than another one; best first.
    private var contenders: [String] = []
    /// Known to be worse than another one by a difference that matters, the worst first.
    private(set) var worse: [WorseCell] = []
    /// Sentences about cells that are undecided, were not measured, or are worse by a difference that
    /// may not matter.
    private(set) var doubts: [String] = []
    private var values: [String: Double] = [:]

    init(_ result: QuestionResult) {
        question = result.question
        var open: [(name: String, remedy: Finding.Remedy, isBeforeFirstLook: Bool)] = []
        var found: [WorseCell] = []
        for contest in result.contests {
            let text = VerdictText(question: question, result: contest)
            let ordered = contest.best + contest.contest.cells.filter { !contest.best.contains($0) }
            for cell in ordered {
                let name = Self.name(of: cell, text, in: result)
                let finding =
                    contest.contenders.first { $0.cell == cell } ?? contest.finding(of: cell)
                switch contest.standing(of: cell) {
                case .best, .equivalent:
                    if !taken.contains(name) { taken.append(name) }
                    values[name] = contest.cells.first { $0.identifier == cell }.flatMap {
                        Statistics.median($0.values(of: question.metric.name))
                    }
                case .worse:
                    guard let finding = contest.shortfall(of: cell) else { continue }
                    let other = Self.name(of: finding.reference, text, in: result)
                    found.append(WorseCell(name, finding, other: other, text))
                case .undecided, .unknown:
                    let doubted = finding ?? contest.findings.first { !$0.verdict.isDecided }
                    open.append(
                        (
                            name,
                            doubted?.verdict.remedy ?? .measurement("nothing was measured"),
                            doubted?.verdict.isBeforeFirstLook ?? false
                        ))
                }
            }
        }
        taken.removeAll { name in
            found.contains { $0.name == name } || open.contains { $0.name == name }
        }
        // The best of the measured cells need not be the best of all.
        let isUnmeasured = result.contests.flatMap(\.cells).contains { cell in
            cell.isSound && cell.values(of: result.question.metric.name).isEmpty
        }
        contenders =
            taken
            + open.filter { !$0.remedy.isOfMeasurement && !taken.contains($0.name) }
            .map(\.name).uniqued
        // The cell with the best median need not be the best.
        let isOpen = result.contests.contains { !$0.hasLeader }
        if isUnmeasured || isOpen { taken = [] }
        found = found.greatestOfEachName
        worse = found.filter(\.matters)
        doubts = doubts(about: found.filter { !$0.matters }) + Self.doubts(open)
    }

    private func doubts(about slight: [WorseCell]) -> [String] {
        guard !slight.isEmpty else { return [] }
        return [
            "Worse, but perhaps by less than the \(percent(question.sameWithin)) that nobody would "
                + "act on: \(slight.listed)."
        ]
    }

    /// One sentence. Cells with the same kind of remedy share the greatest one. Those with too few
    /// rounds for a first look have none, since the first screen says once how many it takes.
    private static func doubts(
        _ open: [(name: String, remedy: Finding.Remedy, isBeforeFirstLook: Bool)]
    ) -> [String] {
        guard !open.isEmpty else { return [] }
        var kinds: [(names: [String], remedy: Finding.Remedy)] = []
        for (name, remedy, _) in open.filter({ !$0.isBeforeFirstLook }) {
            let place = kinds.firstIndex { $0.remedy.merged(with: remedy) != nil }
            guard let place, let both = kinds[place].remedy.merged(with: remedy) else {
                kinds.append(([name], remedy))
                continue
            }
            kinds[place].remedy = both
            if !kinds[place].names.contains(name) { kinds[place].names.append(name) }
        }
        let early = open.filter(\.isBeforeFirstLook).map(\.name).uniqued
        let parts =
            (early.isEmpty ? [] : [early.listed])
            + kinds.map { names, remedy in
                let each = names.count > 1 && remedy.roundCount != nil ? "each " : ""
                return "\(names.listed) (\(each)\(escaped(remedy.sentence)))"
            }
        return ["Undecided: \(parts.joined(separator: "; "))."]
    }

    /// "there is no decision between shared and single; out are nested (105× [90, 120]), compared
    /// with shared."
    var indecision: String {
        let out = worse.isEmpty ? "" : "; out \(worse.count == 1 ? "is" : "are") \(worse.listed)"
        let names = contenders.map { "**\($0)**" }
        let between = names.count > 1 ? " between \(names.listed)" : ""
        return "there is no decision\(between)\(out)."
    }

    /// "take shared or single (main queue p99 0.42 ms to 0.53 ms); avoid nested (105× [90, 120]),
    /// compared with shared."
    func sentence(taking names: [String]) -> String {
        let figures = names.compactMap { values[$0] }
        let bounds = [figures.min(), figures.max()].compactMap(\.self).map(
            question.metric.unit.format
        ).uniqued
        let figure = "\(escaped(question.metric.title)) \(bounds.joined(separator: " to "))"
        let isAny = names.count > 2 && worse.isEmpty && doubts.isEmpty
        return
            (isAny
            ? "**any \(question.axis == "subject" ? "stack" : "of them")** will do"
            : "take **\(names.listed(with: "or"))**")
            + " (\(figure)\(bound(figures)))" + (worse.isEmpty ? "." : "; avoid \(worse.listed).")
    }

    /// Says that smaller values count as the same, if there are any.
    private func bound(_ figures: [Double]) -> String {
        guard let bound = question.sameBelow, let text = question.boundText,
            figures.contains(where: { $0 < bound })
        else { return "" }
        return "; values below \(text) count as equal"
    }

    /// The subject, with its lock policy if there are several, or the parameter with its value.
    private static func name(of cell: String, _ text: VerdictText, in result: QuestionResult)
        -> String
    {
        let axis = result.question.axis
        guard axis == "subject" else {
            return axis == "lockPolicy" ? text.name(cell) : "`\(axis)` \(text.name(cell))"
        }
        let cells = result.contests.flatMap(\.cells)
        guard let own = cells.first(where: { $0.identifier == cell }), let policy = own.lockPolicy,
            Set(cells.compactMap(\.lockPolicy)).count > 1
        else { return text.name(cell) }
        return "\(escaped(own.subject)), \(escaped(policy))"
    }
}

extension QuestionResult {
    /// The workload and the question, such as "responsiveness.main-queue".
    public var identifier: String { "\(workload.name).\(question.id)" }
}

extension Finding.Remedy {
    /// Whether nothing was measured that could be compared.
    fileprivate var isOfMeasurement: Bool {
        if case .measurement = self { true } else { false }
    }

    /// The greater of two remedies of the same kind; `nil` for different kinds.
    fileprivate func merged(with other: Self) -> Self? {
        switch (self, other) {
        case (.rounds(let count, let seconds), .rounds(let more, let longer)):
            .rounds(max(count, more), seconds: [seconds, longer].compactMap(\.self).max())
        case (.calmerMachine(let spread), .calmerMachine(let wider)):
            .calmerMachine(spread: max(spread, wider))
        default: self == other ? self : nil
        }
    }
}
