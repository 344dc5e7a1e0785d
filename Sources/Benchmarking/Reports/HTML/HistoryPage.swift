/// The page of a history: a sparkline for each row, the workloads one after the other.
public struct HistoryPage {
    private let series: [HistorySeries]

    public init(_ series: [HistorySeries]) {
        self.series = series
    }

    /// The whole file, which needs no other.
    public var source: String { page.source }

    var page: Page {
        let names = series.map(\.workload).uniqued
        let sections = names.enumerated().map { place, name in
            let rows = series.filter { $0.workload == name }
            return Page.Section(
                anchor: "workload-\(place + 1)", title: name,
                content: [
                    .figure(
                        Sparklines(title: "\(name) over time", rows: rows).chart,
                        "**The medians of \(escaped(name)), run by run.** A mark is a change: every "
                            + "step of a count, and what change-point analysis finds in a time.")
                ])
        }
        let changes = series.reduce(0) { $0 + $1.changes.count }
        let sentence =
            "\(series.count) rows, \(changes) \(changes == 1 ? "change" : "changes"). A hint for "
            + "people: machines change too, so nothing fails by its history."
        return Page(
            title: "History – StackBench",
            banner: [
                .element("h1", [:], "History"),
                .element("div", ["class": "banner"], [.paragraph(sentence)]),
            ],
            sections: sections)
    }
}
