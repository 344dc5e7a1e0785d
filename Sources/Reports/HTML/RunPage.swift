import Measuring
import RunRecords

/// `report.html` of a run: the first screen, then the figures behind it.
struct RunPage {
    private let run: Run
    private let screen: FirstScreen

    init(_ run: Run) {
        self.run = run
        screen = FirstScreen(run)
    }

    var page: Page {
        let palette = Palette(run)
        let workloads = run.summaries.enumerated().map { place, summary in
            Page.Section(
                anchor: "workload-\(place + 1)", title: summary.workload.title,
                content: WorkloadDrawings(summary, palette).content)
        }
        return Page(
            title: "\(run.name) – StackBench", banner: banner,
            sections: [
                Page.Section(
                    anchor: "causes", title: "What kept the main queue busy", content: causes),
                Page.Section(anchor: "rules", title: "Rules beside the workloads", content: rules),
            ] + workloads + [
                Page.Section(
                    anchor: "environment", title: "Where the figures come from",
                    content: NoisePlot.all(of: run).map(\.figure)
                        + [Provenance(run).table.markup, options]),
                .guide(RunSummary.guide),
            ])
    }

    private var banner: [Markup] {
        let isBad = !run.unsoundCells.isEmpty || run.exitCode == .thresholdCrossed
        let hasDoubt = !screen.cautions.isEmpty || run.exitCode == .inconclusive
        return Page.banner(
            "Run \(run.name) · " + Provenance.line(run),
            headline: screen.headline, style: isBad ? "bad" : hasDoubt ? "doubtful" : "",
            screen.markup)
    }

    private var causes: [Markup] {
        run.workloads.filter { !$0.traces.isEmpty }.flatMap { workload in
            [
                Markup.heading(workload.title),
                .list(workload.traces.map { ($0.headline, []) }, class: "advice"),
            ] + CausePlot.figures(of: workload.traces)
        }
    }

    private var rules: [Markup] {
        guard let lines = run.ruleReport?.otherLines, !lines.isEmpty else { return [] }
        return [.list(lines.map { ($0, []) }, class: "advice")]
    }

    private var options: Markup {
        .details(
            "SQLite’s compile options",
            run.environment.identity.sqliteCompileOptions.map(Markup.code))
    }
}
