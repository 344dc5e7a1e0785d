import Measuring
import RunRecords

/// What `report.html` shows of a workload: its answers with their intervals, its figures and its
/// curves.
struct WorkloadDrawings {
    let summary: WorkloadSummary
    let palette: Palette

    private var workload: WorkloadResult { summary.workload }
    private var metric: Metric { workload.primaryMetric }
    /// The number of cases with drawings of their own; a table has all cases.
    static let caseCountMax = 6

    init(_ summary: WorkloadSummary, _ palette: Palette) {
        self.summary = summary
        self.palette = palette
    }

    var content: [Markup] {
        let section = WorkloadSection(summary)
        let answers =
            summary.questions.isEmpty
            ? [Markup.paragraph(WorkloadSection.silence, class: "muted")]
            : [.list(section.answers.map { ($0, []) }, class: "advice")]
        return section.introduction.map { .paragraph($0, class: "muted") } + answers
            + summary.questions.compactMap(forestPlot) + [section.table.markup]
            + section.remarks.map { .paragraph($0) } + parameterPlot + spectra + timelines
    }

    /// The name of a cell within its case, as plain text.
    func name(_ cell: CellResult) -> String {
        InlineText(markdown: summary.label(cell)).plain
    }

    /// The case as plain text; `nil` if there is only one.
    func name(_ group: WorkloadSummary.Group) -> String? {
        let label = InlineText(markdown: summary.label(group)).plain
        return label.isEmpty ? nil : label
    }

    /// `nil` for exact counts, which have no interval, and if nothing was compared.
    private func forestPlot(_ result: QuestionResult) -> Markup? {
        let groups = result.contests.compactMap { ForestPlot.Group($0, of: result.question) }
        guard !result.question.isExact, !groups.isEmpty else { return nil }
        let metric = result.question.metric.title
        let plot = ForestPlot(
            axisTitle: "\(metric) ÷ that of the reference, log scale", groups: groups,
            labels: .factors)
        let figure = Markup.figure(
            plot.markup,
            "**\(escaped(result.question.sentence))** A line is the interval of a ratio; its dot is hollow if the "
                + "verdict is undecided. Differences within the grey band, up to "
                + "\(percent(result.question.sameWithin)), count as equivalent."
        )
        return groups.count > Self.caseCountMax
            ? .details("\(result.question.sentence) All \(groups.count) cases", [figure]) : figure
    }

    private var parameterPlot: [Markup] {
        guard let curve = Curve(summary) else { return [] }
        let cells = curve.groups.flatMap(\.cells)
        let series = cells.map(name).uniqued.map { label in
            ParameterPlot.Series(
                label: label,
                colour: cells.first { name($0) == label }.map(palette.colour) ?? 0,
                medians: curve.groups.map { group in
                    group.cells.first { name($0) == label && $0.isSound }
                        .flatMap { Statistics.median($0.values(of: metric.name)) }
                })
        }.filter { $0.medians.contains { $0 != nil } }
        guard !series.isEmpty else { return [] }
        let plot = ParameterPlot(
            title: "\(metric.title) over \(curve.parameter)", metric: metric,
            parameter: curve.parameter,
            values: curve.groups.map { $0.parameters[curve.parameter] ?? "" }, series: series)
        let better =
            switch metric.polarity {
            case .lowerIsBetter: "lower is better"
            case .higherIsBetter: "higher is better"
            case .neither: "neither direction is better"
            }
        return [
            .figure(
                plot.chart.markup,
                "**\(metric.title.capitalizedFirst) over \(escaped(curve.parameter)).** Medians; \(better)."
            )
        ]
    }
}

extension ForestPlot.Group {
    /// `nil` if no finding has a ratio.
    fileprivate init?(_ contest: ContestResult, of question: Question) {
        let text = VerdictText(question: question, result: contest)
        rows = contest.findings.compactMap { finding in
            guard let ratio = finding.verdict.ratio, ratio.estimate > 0 else { return nil }
            let style: ForestPlot.Style =
                switch finding.verdict {
                case .equivalent: .same
                case .undecided: .unclear
                case .less, .more:
                    finding.verdict.isBetter(by: question.metric).map { $0 ? .better : .worse }
                        ?? .known
                }
            let isOther = finding.reference != contest.reference?.identifier
            let name = text.name(finding.cell)
            let label = isOther ? "\(name) ÷ \(text.name(finding.reference))" : name
            return ForestPlot.Row(
                label: InlineText(markdown: label).plain, ratio: ratio.estimate,
                interval: ratio.interval, unseen: question.sameWithin, style: style,
                text: InlineText(markdown: text.told(finding)).plain)
        }
        guard !rows.isEmpty, let reference = contest.reference else { return nil }
        let name = InlineText(markdown: text.name(reference.identifier)).plain
        heading = [contest.contest.label, "÷ \(name)"].filter { !$0.isEmpty }.joined(
            separator: ", ")
    }
}
