/// What a report draws of one workload, as far as there are data for it.
struct WorkloadDrawings {
    let summary: WorkloadSummary
    let palette: Palette

    private var workload: WorkloadResult { summary.workload }
    private var metric: Metric { workload.primaryMetric }
    /// Bars of more cells than this say less than the table.
    private static let barCountMax = 12
    /// Drawings of each case are shown for so many; a table has them all.
    static let caseCountMax = 6

    init(_ summary: WorkloadSummary, _ palette: Palette) {
        self.summary = summary
        self.palette = palette
    }

    var content: [Markup] {
        let section = WorkloadSection(summary)
        let answer = Answer(summary)
        let cases = summary.groups.count > 1 ? answer.details.map { ($0, [String]()) } : []
        return section.introduction.map { .paragraph($0, class: "muted") }
            + [.paragraph("The answer: \(answer.sentence)")]
            + (cases.isEmpty ? [] : [.list(cases, class: "advice")]) + parameterPlot + samplesPlot
            + forestPlot + [section.table.markup]
            + section.remarks.map { .paragraph($0) } + spectra + timelines + pairPlots + panels
    }

    /// The name of a cell within its case, as plain text.
    func name(_ cell: CellResult) -> String {
        InlineText(markdown: summary.label(cell)).plain
    }

    /// The case as plain text; nil where there is only one.
    func name(_ group: WorkloadSummary.Group) -> String? {
        let label = InlineText(markdown: summary.label(group)).plain
        return label.isEmpty ? nil : label
    }

    // MARK: - The primary metric

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
        return [
            .figure(
                plot.chart,
                "**\(metric.title.capitalizedFirst) over \(escaped(curve.parameter)).** "
                    + "Medians; \(better).")
        ]
    }

    private var samplesPlot: [Markup] {
        let groups = summary.groups.map { group in
            SamplesPlot.Group(
                heading: name(group),
                rows: group.cells.filter(\.isSound).map { cell in
                    SamplesPlot.Row(
                        label: name(cell), colour: palette.colour(of: cell),
                        values: cell.values(of: metric.name))
                }.filter { !$0.values.isEmpty })
        }.filter { !$0.rows.isEmpty }
        guard !groups.isEmpty else { return [] }
        let plot = SamplesPlot(
            title: "\(metric.title) of every sample", metric: metric, groups: groups)
        let figure = Markup.figure(
            plot.chart,
            "**Every sample, with the median and its interval.** A dot is a sample, the line the "
                + "median, the band its interval; \(better).")
        return groups.count > Self.caseCountMax
            ? [.details("Every sample", [figure])] : [figure]
    }

    private var better: String {
        switch metric.polarity {
        case .lowerIsBetter: "less is better"
        case .higherIsBetter: "more is better"
        case .neither: "neither way is better"
        }
    }

    private var forestPlot: [Markup] {
        guard let reference = workload.reference else { return [] }
        let groups = summary.groups.map { group in
            ForestPlot.Group(heading: name(group), rows: group.cells.compactMap(forestRow))
        }.filter { !$0.rows.isEmpty }
        guard !groups.isEmpty else { return [] }
        let plot = ForestPlot(
            title: "\(metric.title) of each subject ÷ that of \(reference)",
            axisTitle: "\(metric.title) ÷ that of \(reference), log scale", groups: groups,
            labels: .factors)
        let figure = Markup.figure(
            plot.chart,
            "**Against \(escaped(reference)), round by round.** The line is the interval of the "
                + "ratio, hollow where it is not clear; a difference within the grey band could not "
                + "have been told with so few and so noisy rounds; \(better).")
        return groups.count > Self.caseCountMax
            ? [.details("Against \(reference), round by round", [figure])] : [figure]
    }

    private func forestRow(_ cell: CellResult) -> ForestPlot.Row? {
        guard cell.isSound, let reference = summary.reference(for: cell),
            let ratio = Statistics.pairedRatio(of: metric.name, cell, to: reference)
        else { return nil }
        return ForestPlot.Row(
            label: name(cell), ratio: ratio.estimate,
            interval: ratio.interval.map { $0.lower...$0.upper },
            unseen: ratio.smallestTellable.map { $0 - 1 },
            style: .subject(
                colour: palette.colour(of: cell), isClear: ratio.direction != .unclear),
            text: MetricUnit.ratio.format(ratio.estimate, ratio.interval))
    }

    // MARK: - Round by round

    /// The best against the next one: the pair on which the answer rests.
    private var pairPlots: [Markup] {
        let figures = summary.groups.prefix(Self.caseCountMax).compactMap { group -> Markup? in
            let ranking = Ranking(of: group.cells, by: metric)
            guard ranking.pairCount >= PairedRatio.pairsNeeded else { return nil }
            let (best, next) = (ranking.ordered[0], ranking.ordered[1])
            let plot = PairPlot(
                title: "\(name(next)) against \(name(best)), round by round",
                axisTitle: "\(metric.title) of \(name(next)) above that of \(name(best))",
                pairs: Self.pairs(of: metric.name, next, to: best), confirmation: [],
                base: name(best), head: name(next))
            let place = name(group).map { " with \(escaped($0))" } ?? ""
            return .figure(
                plot.chart,
                "**\(summary.label(next)) against \(summary.label(best))\(place), in the order of "
                    + "execution.** A drift or a step would mean that the machine changed "
                    + "meanwhile.")
        }
        return figures.count > 1
            ? [.details("The best against the next, round by round", figures)] : figures
    }

    private static func pairs(
        of metric: String, _ cell: CellResult, to reference: CellResult
    ) -> [PairPlot.Pair] {
        cell.samples.sorted { $0.repetition < $1.repetition }.compactMap { sample in
            guard let other = reference.samples.first(where: { $0.repetition == sample.repetition })
            else { return nil }
            var (one, two) = (cell, reference)
            (one.samples, two.samples) = ([sample], [other])
            return Statistics.pairedLogRatios(of: metric, one, to: two).first.map {
                PairPlot.Pair(
                    logRatio: $0, isHeadFirst: sample.positionInRound < other.positionInRound)
            }
        }
    }

    // MARK: - Memory and counters

    private var panels: [Markup] {
        let cells = workload.cells.filter(\.isSound)
        guard !cells.isEmpty, cells.count <= Self.barCountMax else { return [] }
        let panels = WorkloadSection.resourceMetrics(of: workload).map { panel($0, cells) }
        let charts = panels.filter { !$0.isUniform }
        let same = panels.filter { $0.isUniform && !$0.rows.isEmpty }.map {
            "\($0.metric.title.inWords) \($0.metric.unit.format($0.rows[0].value))"
        }
        guard !panels.isEmpty else { return [] }
        let heading = Markup.heading("Memory and counters")
        let scale = "Medians of a sample, each panel on a scale of its own."
        let remark = same.isEmpty ? scale : "\(scale) The same for all: \(escaped(same.listed))."
        return [
            heading, .paragraph(remark, class: "muted"),
            .element("div", ["class": "panels"], charts.map(\.chart.markup)),
        ]
    }

    private func panel(_ metric: Metric, _ cells: [CellResult]) -> BarPanel {
        let rows = cells.compactMap { cell -> BarPanel.Row? in
            guard let value = Statistics.median(cell.values(of: metric.name)) else { return nil }
            let group = summary.groups.first { $0.parameters == cell.parameters }
            let place = group.flatMap(name).map { " · \($0)" } ?? ""
            return BarPanel.Row(
                label: name(cell) + place, colour: palette.colour(of: cell), value: value)
        }
        return BarPanel(metric: metric, rows: rows)
    }
}
