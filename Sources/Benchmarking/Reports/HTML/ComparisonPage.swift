/// `report.html` of a comparison: the verdict, the forest plot, then the pairs behind each row.
struct ComparisonPage {
    private let report: ComparisonReport
    private let section: ComparisonSection

    init(_ report: ComparisonReport) {
        self.report = report
        section = ComparisonSection(report)
    }

    var page: Page {
        let pairs = section.rows.filter { !$0.pairs.isEmpty }
        let steady = report.rows(.ok)
        return Page(
            title: "\(report.title) – StackBench", banner: banner,
            sections: [
                Page.Section(
                    anchor: "changes", title: "Every timed row",
                    content: forest),
                Page.Section(
                    anchor: "rows", title: "What changed, and what could not be judged",
                    content: (section.table.isEmpty ? [] : [section.table.markup])
                        + [section.hidden].compactMap(\.self).map { .paragraph($0) }
                        + (steady.isEmpty
                            ? []
                            : [
                                .details(
                                    "Rows that did not change",
                                    [ComparisonSection.table(of: steady).markup])
                            ])),
                Page.Section(
                    anchor: "pairs", title: "Pair by pair",
                    content: pairs.map(pairPlot)
                        + [self.steadyPairs(steady.filter { !$0.pairs.isEmpty })]
                        .compactMap(\.self)),
                Page.Section(
                    anchor: "environment", title: "Where the figures come from",
                    content: [NoisePlot(report.noise ?? [])?.figure].compactMap(\.self)
                        + stolen + [Provenance(report).table.markup]),
                Page.Section(
                    anchor: "guide", title: "How to read this",
                    content: [.list(ComparisonSection.guide.map { ($0, []) }, class: "advice")]),
            ])
    }

    private var stolen: [Markup] {
        let shares = (report.noise ?? []).compactMap(\.stolenShare)
        guard let most = shares.max() else { return [] }
        let mean = shares.reduce(0, +) / Double(shares.count)
        return [
            .paragraph(
                "The host took \(percent(mean)) of the processor time for others on average, "
                    + "\(percent(most)) at most between two readings.", class: "muted")
        ]
    }

    private var banner: [Markup] {
        let style =
            switch report.exitCode {
            case .success: report.rows(.inconclusive).isEmpty ? "" : " doubtful"
            case .inconclusive: " doubtful"
            default: " bad"
            }
        let exit = "Exit \(report.exitCode.rawValue): \(report.meaning)."
        let sentences = section.sentences.map { (markdown: $0, details: [String]()) }
        return [
            .paragraph(
                escaped(
                    "\(report.title) · "
                        + Provenance.line(report.startedAt, report.build, report.environment)),
                class: "eyebrow"),
            .element("h1", [:], [InlineText(markdown: report.sentence).markup]),
            .element(
                "div", ["class": "banner\(style)"],
                [.paragraph(exit)]
                    + (sentences.isEmpty ? [] : [.list(sentences, class: "answers")])),
        ]
    }

    /// The rows with a ratio of pairs, a group for each workload. Exact counts have no interval.
    private var forest: [Markup] {
        let timed = report.rows.filter { !$0.isExact && $0.ratio != nil }
        guard !timed.isEmpty else { return [] }
        let groups = timed.map(\.workload).uniqued.map { workload in
            ForestPlot.Group(
                heading: workload,
                rows: timed.filter { $0.workload == workload }.map(Self.row))
        }
        let plot = ForestPlot(
            title: "Change of every timed row", axisTitle: "head ÷ base, log scale",
            groups: groups, labels: .percentages)
        return [
            .figure(
                plot.chart,
                "**Head against base, with the interval of each.** Right of the line, the head "
                    + "has more: of a time, it is slower. Changes within a grey band would not "
                    + "have been seen.")
        ]
    }

    private static func row(_ comparison: Comparison) -> ForestPlot.Row {
        let style: ForestPlot.Style =
            switch comparison.verdict {
            case .regressed: .worse
            case .improved: .better
            case .ok: .same
            case .inconclusive: .unclear
            }
        return ForestPlot.Row(
            label: "\(comparison.cell) \(comparison.metric.title)",
            ratio: comparison.ratio ?? 1,
            interval: comparison.interval.map { $0.lower...$0.upper },
            unseen: comparison.minimumDetectableEffect, style: style,
            text: "\(comparison.change) \(comparison.verdict.rawValue)")
    }

    private func pairPlot(_ row: Comparison) -> Markup {
        func pairs(_ pairs: [PairedSamples.Pair]) -> [PairPlot.Pair] {
            pairs.map { PairPlot.Pair(logRatio: $0.logRatio, isHeadFirst: $0.isHeadFirst) }
        }
        let plot = PairPlot(
            title: row.name, axisTitle: "change of \(row.metric.title) from base to head",
            pairs: pairs(row.pairs), confirmation: pairs(row.confirmation),
            base: report.base.name, head: report.head.name)
        return .figure(plot.chart, row.sentence)
    }

    private func steadyPairs(_ rows: [Comparison]) -> Markup? {
        rows.isEmpty ? nil : .details("Rows that did not change", rows.map(pairPlot))
    }
}
