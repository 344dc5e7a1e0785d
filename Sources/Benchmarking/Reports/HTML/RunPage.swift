/// `report.html` of a run: the answer first, then what it rests on.
struct RunPage {
    private let run: Run
    private let summaries: [WorkloadSummary]

    init(_ run: Run) {
        self.run = run
        summaries = run.workloads.map(WorkloadSummary.init)
    }

    var page: Page {
        let palette = Palette(run)
        let workloads = summaries.enumerated().map { place, summary in
            Page.Section(
                anchor: "workload-\(place + 1)", title: summary.workload.title,
                content: WorkloadDrawings(summary, palette).content)
        }
        return Page(
            title: "\(run.name) – StackBench", banner: banner,
            sections: [
                Page.Section(anchor: "overview", title: "All workloads", content: overview)
            ] + workloads + [
                Page.Section(
                    anchor: "environment", title: "Where the figures come from",
                    content: [NoisePlot(run)?.figure].compactMap(\.self)
                        + [Provenance(run).table.markup, options]),
                Page.Section(
                    anchor: "guide", title: "How to read this",
                    content: [
                        .list(RunSummary(run).guide.map { ($0, []) }, class: "advice")
                    ]),
            ])
    }

    private var banner: [Markup] {
        let advice = Advice.on(run).map { (markdown: "\($0)", details: [String]()) }
        let answers = summaries.map { summary in
            let answer = Answer(summary)
            // The cases of a workload stand in its own section.
            return (
                markdown: "**\(escaped(summary.workload.title))**: \(answer.sentence)",
                details: summary.groups.count == 1 ? answer.details : []
            )
        }
        let headline = Headline(summaries)
        let rules = try? run.ruleReport()
        let isBad = !run.unsoundCells.isEmpty || run.exitCode == .thresholdCrossed
        let hasDoubt =
            !run.build.hasTimes || run.state != .completed || run.exitCode == .inconclusive
            || !headline.namesWinner
        let style = isBad ? " bad" : hasDoubt ? " doubtful" : ""
        return [
            .paragraph(
                escaped(
                    "Run \(run.name) · "
                        + Provenance.line(run.startedAt, run.build, run.environment)),
                class: "eyebrow"),
            .element("h1", [:], [InlineText(markdown: headline.text).markup]),
            .element("div", ["class": "banner\(style)"], [.list(answers, class: "answers")]),
        ]
            + (rules.map(findings) ?? [])
            + self.advice(advice)
    }

    private func findings(of rules: ThresholdReport) -> [Markup] {
        let lines = rules.findings.map { (markdown: $0, details: [String]()) }
        return [.heading("Rules beside the workloads"), .list(lines, class: "advice")]
    }

    /// The gravest, and the others for who asks.
    private func advice(_ items: [(markdown: String, details: [String])]) -> [Markup] {
        guard !items.isEmpty else { return [] }
        let shown = Array(items.prefix(4))
        let others = Array(items.dropFirst(4))
        let list = [
            Markup.heading("Before you believe it"), .list(shown, class: "advice"),
        ]
        return others.isEmpty
            ? list : list + [.details("\(others.count) more", [.list(others, class: "advice")])]
    }

    private var overview: [Markup] {
        guard let overview = Overview(summaries) else { return [] }
        return [
            .figure(
                overview.chart,
                "**Each subject against the best stack.** 1 is the best stack’s median; a framed "
                    + "cell is a clear winner. Blue is better than the best stack, orange worse; where "
                    + "more is better, the colour is that of the inverse.")
        ]
    }

    private var options: Markup {
        .details(
            "SQLite’s compile options",
            run.environment.identity.sqliteCompileOptions.map { .element("code", [:], $0) })
    }
}
