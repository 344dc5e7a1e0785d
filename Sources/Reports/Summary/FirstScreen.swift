import Measuring
import RunRecords

/// What a reader sees first: the stacks side by side, what to take, which techniques pay, and how
/// sure that is. It is the same in the terminal, in `summary.md` and in `report.html`, but for the
/// figures of a run without questions, which the files show for each workload.
public struct FirstScreen {
    /// Threshold rules that the run breaks.
    let crossedRules: [String]
    /// Says how many questions are decided.
    let headline: String
    /// The figures of a run without questions; they are all that it has to say.
    let figures: [(title: String, table: ReportTable)]
    /// What was found in the user's own data.
    let data: [String]
    let stacks: StackTable?
    /// "If …, take …", one sentence for each rule.
    let advice: [String]
    /// A sentence for each thing that questions list, the most expensive one first.
    let costs: [String]
    /// A sentence for each question about a technique.
    let techniques: [String]
    /// A sentence for each question that was also asked at full size.
    let sizes: [String]
    /// How sure the answers are.
    let certainty: [String]
    /// Cells that failed or gave a wrong answer.
    let faults: [String]
    let cautions: [String]

    public init(_ run: Run) {
        let results = run.questionResults
        crossedRules = run.ruleReport?.crossedLines ?? []
        figures =
            results.isEmpty
            ? run.summaries.map { (escaped($0.workload.title), WorkloadSection($0).table) } : []
        headline = Self.headline(of: results)
        let small = results.filter { $0.workload.smallName == nil }
        data = run.dataFindings ?? []
        stacks = StackTable(small)
        costs = CostSentence.first(of: small)
        advice = run.workloads.flatMap { workload in
            (workload.advice ?? []).map { AdviceSentence($0, of: workload, in: results).markdown }
        }
        techniques = small.filter { $0.question.column == nil }.compactMap {
            $0.question.isListed == true
                ? ListedAnswer($0, among: small)?.markdown : QuestionSentence($0).markdown
        }
        sizes = run.sizeComparisons.map { SizeSentence($0).markdown }
        certainty =
            Self.certainty(of: results, firstLook: run.sequentialDesign.quickLook)
            + Self.machines(of: run) + Self.unasked(of: run)
        faults = run.unsoundCells.map { escaped("\($0)") }
        cautions = Caution.on(run).map { "\($0)" }
    }

    private static func headline(of results: [QuestionResult]) -> String {
        let decided = results.count(where: \.isDecided)
        switch results.count {
        case 0: return "This run asks no question, so its figures have no verdicts."
        case 1: return "The question is \(decided == 1 ? "" : "not ")decided."
        case decided: return "All \(decided) questions are decided."
        default:
            return
                "\(decided) of \(results.count) questions \(decided == 1 ? "is" : "are") decided."
        }
    }

    /// Says how many comparisons are decided, and how sure that is. Counts need no statistics.
    ///
    /// - Parameter firstLook: the rounds that a first verdict takes.
    private static func certainty(of results: [QuestionResult], firstLook: Int) -> [String] {
        func verdicts(isExact: Bool) -> [Finding.Verdict] {
            results.filter { $0.question.isExact == isExact }.flatMap(\.contests)
                .flatMap(\.findings).map(\.verdict)
        }
        func told(_ verdicts: [Finding.Verdict]) -> String {
            "\(verdicts.count(where: \.isDecided)) of \(verdicts.count)"
        }
        let (measured, counted) = (verdicts(isExact: false), verdicts(isExact: true))
        let all = measured + counted
        guard !all.isEmpty else { return [] }
        let decided = all.count(where: \.isDecided)
        var sentence =
            switch (decided, all.count) {
            case (_, 1): "The comparison is \(decided == 1 ? "" : "not ")decided"
            case (all.count, _): "All \(decided) comparisons are decided"
            case (0, _): "None of \(all.count) comparisons is decided"
            default: "\(told(all)) comparisons \(decided == 1 ? "is" : "are") decided"
            }
        if measured.isEmpty {
            if decided > 0 { sentence += ", by counts, which are exact" }
        } else if !counted.isEmpty {
            sentence +=
                ": \(told(counted)) by counts, which are exact, and \(told(measured)) by measured values"
        }
        // Before the first look nothing can be false.
        let early = measured.count(where: \.isBeforeFirstLook)
        let few =
            early == 0
            ? []
            : [
                "\(early) \(early == 1 ? "comparison has" : "comparisons have") too few rounds for a "
                    + "verdict: measured values need \(firstLook) or more."
            ]
        let canErr = measured.contains { $0.isDecided || $0.ratio?.interval != nil }
        return [sentence + "."] + few
            + (canErr
                ? [
                    "On this machine, in this hour, at most one such run in 20 has a false verdict"
                        + (counted.isEmpty ? "." : " by measured values.")
                ] : [])
    }

    /// Says what several machines mean for the reader.
    private static func machines(of run: Run) -> [String] {
        guard let count = run.shards?.count, count > 1 else { return [] }
        return [
            "\(count) shards were measured apart. Each comparison is within a shard; figures of "
                + "different shards are of different machines or hours and are not comparable."
        ]
    }

    /// Names the workloads without a question, if others have one.
    private static func unasked(of run: Run) -> [String] {
        let silent = run.workloads.filter { ($0.questions ?? []).isEmpty }.map { escaped($0.title) }
        guard !silent.isEmpty, silent.count < run.workloads.count else { return [] }
        return [
            silent.count == 1
                ? "\(silent[0]) asks no question, so its figures have no verdicts."
                : "\(silent.listed) ask no questions, so their figures have no verdicts."
        ]
    }
}

// MARK: - Text

extension FirstScreen {
    /// Without the file's title.
    var markdown: String {
        var parts = crossedRules.map { "**\($0)**" } + ["**\(headline)**"]
        if let stacks { parts += [stacks.table.markdown, stacks.legend] }
        parts += lists.map { list in
            (list.title.isEmpty ? "" : "**\(list.title)**\n\n")
                + list.items.map { "- \($0)" }.joined(separator: "\n")
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// For a terminal, without markup. The best cells of a column have a star.
    ///
    /// - Parameter width: the terminal's, at which sentences are broken; `nil` to break none.
    public func terminalText(width: Int? = nil) -> String {
        func plain(_ markdown: String, indent: Int = 0) -> String {
            InlineText(markdown: markdown).plain.wrapped(to: width, indent: indent)
        }
        var parts =
            crossedRules.isEmpty ? [] : [crossedRules.map { plain($0) }.joined(separator: "\n")]
        parts.append(plain(headline))
        if let stacks {
            let legend = stacks.legend.replacing("**bold** best", with: "* best")
            parts.append("\(stacks.table.terminalText(width: width))\n\(plain(legend))")
        }
        parts += figures.map { "\(plain($0.title))\n\($0.table.terminalText(width: width))" }
        parts += lists.map { list in
            let title = list.title.isEmpty ? [] : [list.title]
            return (title + list.items.map { plain("- \($0)", indent: 2) }).joined(
                separator: "\n")
        }
        return parts.joined(separator: "\n\n")
    }

    var markup: [Markup] {
        var parts = crossedRules.map { Markup.paragraph($0, class: "crossed") }
        if let stacks {
            parts += [stacks.table.markup, .paragraph(stacks.legend, class: "muted")]
        }
        return parts
            + lists.flatMap { list -> [Markup] in
                (list.title.isEmpty ? [] : [.heading(list.title)])
                    + [
                        .list(
                            list.items.map { ($0, []) },
                            class: list.title.isEmpty ? "answers" : "advice")
                    ]
            }
    }

    private var lists: [(title: String, items: [String])] {
        [
            ("", advice), ("What costs most", costs), ("Techniques", techniques),
            ("At full size", sizes), ("Your data", data),
            ("How sure", certainty),
            ("Failed or wrong", faults), ("Before you believe it", cautions),
        ].filter { !$0.1.isEmpty }
    }
}
