import Measuring
import RunRecords

/// `claims.html`: each claim with what was published, what was measured, and the verdict.
struct ClaimsPage {
    private let run: Run
    private let report: ClaimsReport
    private let results: [ClaimResult]

    init?(_ run: Run) {
        guard let report = ClaimsReport(run) else { return nil }
        self.run = run
        self.report = report
        results = run.claimResults
    }

    var page: Page {
        let sections = ClaimVerdict.allCases.compactMap { verdict -> Page.Section? in
            let own = results.filter { $0.verdict == verdict }
            guard !own.isEmpty else { return nil }
            let title = verdict.title
            return Page.Section(
                anchor: verdict.rawValue,
                title: "\(title.prefix(1).uppercased())\(title.dropFirst()) (\(own.count))",
                content: own.map(article))
        }
        return Page(
            title: "Published claims – StackBench",
            banner: Page.banner(
                "Run \(run.name) · "
                    + Provenance.line(run.startedAt, run.build, run.environment),
                headline: report.headline, style: "", [repeating]),
            sections: [
                Page.Section(anchor: "all", title: "All verdicts", content: [overview])
            ] + sections + [
                Page.Section(
                    anchor: "environment", title: "Where the figures come from",
                    content: [Provenance(run).table.markup]),
                .guide(Self.guide),
            ])
    }

    private var repeating: Markup {
        .element(
            "p", [:],
            [
                .element("span", [:], "Run it yourself: "),
                .code("swift run bench claims"),
            ])
    }

    /// A line for each claim, which links to its article.
    private var overview: Markup {
        func row(_ name: String, _ cells: [Markup]) -> Markup {
            .element("tr", [:], cells.map { .element(name, [:], [$0]) })
        }
        let titles = ["claim", "published", "here", "verdict"].map(Markup.text)
        let rows = results.map { result in
            row(
                "td",
                [
                    .element("a", ["href": "#\(result.claim.id)"], result.claim.sentence),
                    .text(result.publishedRatios),
                    InlineText(markdown: result.claim.asks.isEmpty ? "" : result.here).markup,
                    badge(result.verdict),
                ])
        }
        let table = Markup.element(
            "table", [:],
            [
                .element("thead", [:], [row("th", titles)]), .element("tbody", [:], rows),
            ])
        return .element("div", ["class": "table claims"], [table])
    }

    private func badge(_ verdict: ClaimVerdict) -> Markup {
        let style: ForestPlot.Style =
            switch verdict {
            case .reproduced, .directionOnly: .better
            case .refuted: .worse
            case .otherSize, .bounded: .known
            case .undecided: .unclear
            case .notAskable: .same
            }
        return .element("span", ["class": "value \(style)"], verdict.title)
    }

    private func article(_ result: ClaimResult) -> Markup {
        let claim = result.claim
        var content: [Markup] = [
            .element(
                "h3", [:], [.element("a", ["href": "#\(claim.id)"], claim.sentence)]),
            .paragraph(
                "\(escaped(claim.source.line)): \(escaped(claim.published))", class: "muted"),
        ]
        if let obstacle = claim.obstacle { content.append(.paragraph(escaped(obstacle))) }
        if let bounds = result.bounds { content.append(.paragraph(bounds)) }
        content += [plot(result)].compactMap(\.self) + sweeps(result)
        if result.details.count > 1 {
            content.append(
                .details(
                    "All \(result.details.count) comparisons",
                    [.list(result.details.map { ($0, []) }, class: "advice")]))
        }
        if !result.causes.isEmpty {
            content += [
                .paragraph("In one traced sample of each side:"),
                .list(result.causes.map { ($0, []) }, class: "advice"),
            ]
        }
        if !claim.asks.isEmpty { content.append(.paragraph(result.scope, class: "muted")) }
        if let command = claim.command {
            content.append(.paragraph("Run it yourself: `\(command)`", class: "muted"))
        }
        return .element("article", ["id": claim.id], content)
    }

    /// A line for each comparison where the claim was published, and one for the published ratio.
    private func plot(_ result: ClaimResult) -> Markup? {
        let groups = result.claim.asks.compactMap { ask -> ForestPlot.Group? in
            let own = result.answers.filter {
                $0.ask == ask && $0.hasPublishedConditions && $0.finding.verdict.ratio != nil
            }
            guard let first = own.first else { return nil }
            let published = ask.ratio.map {
                ForestPlot.Row(
                    label: "published", ratio: $0, style: .known, text: first.publishedRatio ?? "")
            }
            let axis = first.question.axisName.map { "\($0) " } ?? ""
            return ForestPlot.Group(
                heading: "\(first.question.sentence) \(axis)\(ask.value) against \(first.baseline)",
                rows: [published].compactMap(\.self) + own.map(\.row))
        }
        guard !groups.isEmpty else { return nil }
        return ForestPlot(
            axisTitle: "÷ baseline", groups: groups, labels: .factors
        ).markup
    }

    /// A curve for each question whose comparisons differ in a number.
    private func sweeps(_ result: ClaimResult) -> [Markup] {
        result.claim.questions.compactMap { question in
            let answers = result.answers.filter { $0.ask.question == question }
            return ClaimSweep(answers).map { sweep in
                Markup.figure(
                    sweep.chart.markup,
                    "**\(escaped(sweep.question.sentence))** The ratio at each value of "
                        + "\(escaped(sweep.parameter)); 1 is the baseline.")
            }
        }
    }

    private static let guide = [
        "**reproduced**: the same direction as published, and a ratio within the factor that the claim’s file declares.",
        "**same direction, other size**: as published, but the ratio is further away.",
        "**bounded**: true under some of the conditions that were measured; the sentence below the claim says which.",
        "**refuted**: no difference where one was published, or the opposite one.",
        "Ratios travel from one machine to another, absolute times do not; so only ratios are compared.",
        "At most one such run in 20, on the same machine and day, contains a false verdict.",
    ]
}

extension ClaimAnswer {
    var baseline: String {
        VerdictText(question: question, result: contest).name(finding.reference)
    }

    var row: ForestPlot.Row {
        let ratio = finding.verdict.ratio
        let label = contest.contest.label
        let style: ForestPlot.Style =
            switch outcome {
            case .reproduced, .directionOnly: .better
            case .otherSize: .known
            case .refuted: .worse
            case .undecided: .unclear
            }
        // A count of 0 has no place on a logarithmic axis.
        let estimate = max(ratio?.estimate ?? 1, 0.001)
        return ForestPlot.Row(
            label: label.isEmpty ? "measured" : label, ratio: estimate.isFinite ? estimate : 1_000,
            interval: ratio?.interval, unseen: question.sameWithin, style: style,
            text: InlineText(markdown: told).plain)
    }
}
