import Measuring
import RunRecords

/// `report.html` of a comparison: the verdict, the forest plot, then the rows.
struct ComparisonPage {
    private let report: ComparisonReport
    private let section: ComparisonSection

    init(_ report: ComparisonReport) {
        self.report = report
        section = ComparisonSection(report)
    }

    var page: Page {
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
                    anchor: "environment", title: "Where the figures come from",
                    content: [NoisePlot(report.noise ?? [])?.figure].compactMap(\.self)
                        + stolen + [Provenance(report).table.markup]),
                .guide(ComparisonSection.guide),
            ])
    }

    private var stolen: [Markup] {
        let shares = (report.noise ?? []).compactMap(\.stolenShare)
        guard let most = shares.max() else { return [] }
        let mean = shares.reduce(0, +) / Double(shares.count)
        return [
            .paragraph(
                "The host gave \(percent(mean)) of the processor time to other machines on average, "
                    + "and at most \(percent(most)) between two readings.", class: "muted")
        ]
    }

    private var banner: [Markup] {
        let style =
            switch report.exitCode {
            case .success: report.rows(.inconclusive).isEmpty ? "" : "doubtful"
            case .inconclusive: "doubtful"
            default: "bad"
            }
        let exit = "Exit \(report.exitCode.rawValue): \(report.meaning)."
        let sentences = section.sentences.map { (markdown: $0, details: [String]()) }
        return Page.banner(
            "\(report.title) · "
                + Provenance.line(report.startedAt, report.build, report.environment),
            headline: report.sentence, style: style,
            [.paragraph(exit)] + (sentences.isEmpty ? [] : [.list(sentences, class: "answers")]))
    }

    /// The rows with a ratio of pairs, one group for each workload. Exact counts have no interval.
    private var forest: [Markup] {
        let timed = report.rows.filter { !$0.isExact && $0.ratio != nil }
        guard !timed.isEmpty else { return [] }
        let groups = timed.map(\.workload).uniqued.map { workload in
            ForestPlot.Group(
                heading: workload,
                rows: timed.filter { $0.workload == workload }.map(Self.row))
        }
        let plot = ForestPlot(
            axisTitle: "head ÷ base, log scale", groups: groups, labels: .percentages)
        return [
            .figure(
                plot.markup,
                "**Head against base, each with its interval.** Right of the line the head needs "
                    + "more; for a time, it is slower. If no change was found, a grey band shows "
                    + "the changes that would not have been seen.")
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
        let isFound = [.regressed, .improved].contains(comparison.verdict)
        return ForestPlot.Row(
            label: "\(comparison.cell) \(comparison.metric.title)",
            ratio: comparison.ratio ?? 1,
            interval: comparison.interval.map { $0.lower...$0.upper },
            // A change that was found needs no band.
            unseen: isFound ? nil : comparison.minimumDetectableEffect, style: style,
            text: "\(comparison.change) \(comparison.verdict.rawValue)")
    }
}
