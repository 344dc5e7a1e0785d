import RunRecords

/// Where the time of traced samples went, as text, Markdown and a page.
public struct TraceReport {
    private let title: String
    private let samples: [TracedSample]

    /// - Parameter title: The workload.
    /// - Parameter samples: One of each subject; the one with the longest stall is shown first.
    public init(title: String, samples: [TracedSample]) {
        self.title = title
        self.samples = samples.sorted { $0.longestStallSeconds > $1.longestStallSeconds }
    }

    public var markdown: String {
        let parts = samples.map { sample in
            (["## \(escaped(sample.subject))", "", sample.sentence, "", sample.table.markdown, ""]
                + sample.stallSentences.map { "- \($0)" }).joined(separator: "\n")
        }
        let headlines = samples.map { "- \($0.headline)" }.joined(separator: "\n")
        return
            (["# \(escaped(title)): where the time went", headlines] + parts
            + [Self.guide.map { "- \($0)" }.joined(separator: "\n")]).joined(separator: "\n\n")
            + "\n"
    }

    /// A self-contained page of HTML.
    public var html: String {
        Page(
            title: "\(title) – StackBench",
            banner: Page.banner(
                "One traced sample of each stack", headline: "\(title): where the time went",
                style: "", [.list(samples.map { ($0.headline, []) }, class: "answers")]),
            sections: [
                Page.Section(
                    anchor: "causes", title: "The stacks side by side",
                    content: CausePlot.figures(of: samples))
            ]
                + samples.map { sample in
                    Page.Section(
                        anchor: sample.subject, title: sample.subject,
                        content: [
                            .paragraph(sample.sentence), sample.table.markup,
                            .heading("The longest stalls of the main queue"),
                            .list(sample.stallSentences.map { ($0, []) }, class: "advice"),
                        ])
                } + [.guide(Self.guide)]
        ).source
    }

    private static let guide = [
        "Each table is one sample with a tracer attached: it explains, and is not a measurement.",
        "Times are wall-clock times; a thread that waits for a processor counts as working.",
        "A time is counted once, for the innermost of the things that were going on.",
    ]
}
