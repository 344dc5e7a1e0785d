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
                    content: [Provenance(run).table.markup, options]),
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
            return (
                markdown: "**\(escaped(summary.workload.title))**: \(answer.sentence)",
                details: answer.details
            )
        }
        let hasDoubt = run.build == .debug || run.state != .completed
        let style = run.unsoundCells.isEmpty ? (hasDoubt ? " doubtful" : "") : " bad"
        let headline = Markup.element(
            "h1", [:], [InlineText(markdown: Headline(summaries).text).markup])
        return [
            .paragraph(
                escaped(
                    "Run \(run.name) · "
                        + Provenance.line(run.startedAt, run.build, run.environment)),
                class: "eyebrow"),
            headline,
            .element("div", ["class": "banner\(style)"], [.list(answers, class: "answers")]),
        ]
            + (advice.isEmpty
                ? []
                : [.heading("Before you believe it"), .list(advice, class: "advice")])
    }

    private var overview: [Markup] {
        guard let map = OverviewMap(summaries) else { return [] }
        return [
            .figure(
                map.chart,
                "**Each subject against the best stack.** 1 is the best stack’s median; a framed "
                    + "cell is a clear winner. Blue is better than the best stack, orange worse.")
        ]
    }

    private var options: Markup {
        .details(
            "SQLite’s compile options",
            run.environment.identity.sqliteCompileOptions.map { .element("code", [:], $0) })
    }
}
