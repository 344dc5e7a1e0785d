import Measuring
import RunRecords

/// Where the time of traced samples went, as text, Markdown and a page.
public struct TraceReport {
    private let title: String
    private let samples: [TracedSample]

    /// - Parameter title: The workload.
    /// - Parameter samples: One of each subject, in the order in which they are shown.
    public init(title: String, samples: [TracedSample]) {
        self.title = title
        self.samples = samples
    }

    public var markdown: String {
        let parts = samples.map { sample in
            (["## \(sample.subject)", "", Self.sentence(of: sample), ""]
                + [Self.table(of: sample).markdown, ""]
                + Self.stalls(of: sample).map { "- \($0)" }).joined(separator: "\n")
        }
        return (["# \(title): where the time went", Self.guide.joined(separator: " ")] + parts)
            .joined(separator: "\n\n") + "\n"
    }

    /// A self-contained page of HTML.
    public var html: String {
        let longest = samples.flatMap(\.mainQueue).map(\.seconds).max() ?? 0
        return Page(
            title: "\(title) – StackBench",
            banner: Page.banner(
                "One traced sample of each stack", headline: "\(title): where the time went",
                style: "",
                [.list(samples.map { (Self.headline(of: $0), []) }, class: "answers")]),
            sections: samples.map { sample in
                Page.Section(
                    anchor: sample.subject, title: sample.subject,
                    content: [
                        .paragraph(Self.sentence(of: sample)),
                        .figure(
                            LanePlot(sample).chart.markup,
                            "**Around the longest stall.** Each lane is a queue; what stands below "
                                + "another colour in the lane of the main queue is what people wait for."
                        ),
                        Self.table(of: sample).markup,
                    ]
                        + (sample.stalls.isEmpty || longest == 0
                            ? []
                            : [
                                .heading("The longest stalls of the main queue"),
                                .list(
                                    Self.stalls(of: sample).map { ($0, []) }, class: "advice"),
                            ]))
            } + [.guide(Self.guide)]
        ).source
    }

    /// The most important cause, for the top of the page.
    private static func headline(of sample: TracedSample) -> String {
        let busy = sample.mainQueueBusySeconds
        guard busy > 0, let first = sample.mainQueue.first else {
            return "**\(sample.subject)** left the main queue alone."
        }
        let share = percent(first.seconds / busy)
        return "**\(sample.subject)** kept the main queue busy for \(time(busy)) of "
            + "\(time(sample.seconds)); \(share) of that it \(first.activity)."
    }

    private static func sentence(of sample: TracedSample) -> String {
        let busy = sample.mainQueueBusySeconds
        let lost =
            sample.droppedCount > 0
            ? " \(sample.droppedCount.formatted()) events were lost, so all times are too low." : ""
        return "The main queue was busy for \(time(busy)) of \(time(sample.seconds)) "
            + "(\(percent(busy / max(sample.seconds, .leastNonzeroMagnitude)))), its longest stall took "
            + "\(time(sample.stalls.first?.seconds ?? 0)). The other queues and threads worked or waited "
            + "for \(time(sample.others.reduce(0) { $0 + $1.seconds }))." + lost
    }

    /// Shares below this are summed.
    private static let leastShare = 0.005

    private static func table(of sample: TracedSample) -> ReportTable {
        var table = ReportTable([
            ("queue", .left), ("what it did", .left), ("time", .right), ("share", .right),
            ("events", .right),
        ])
        for (queue, shares) in [("main", sample.mainQueue), ("others", sample.others)] {
            let whole = shares.reduce(0) { $0 + $1.seconds }
            let (shown, small) = (
                shares.filter { $0.seconds >= whole * leastShare },
                shares.filter { $0.seconds < whole * leastShare }
            )
            for share in shown {
                table.append([
                    queue, share.activity, time(share.seconds), percent(share.seconds / whole),
                    share.count.formatted(),
                ])
            }
            guard !small.isEmpty, whole > 0 else { continue }
            let seconds = small.reduce(0) { $0 + $1.seconds }
            table.append([
                queue, "\(small.count) other activities", time(seconds), percent(seconds / whole),
                small.reduce(0) { $0 + $1.count }.formatted(),
            ])
        }
        return table
    }

    private static func stalls(of sample: TracedSample) -> [String] {
        sample.stalls.map { stall in
            let parts = stall.shares.prefix(3).filter { $0.seconds > stall.seconds * 0.01 }.map {
                "\($0.activity) (\(percent($0.seconds / stall.seconds)))"
            }
            return "**\(time(stall.seconds))** from \(time(stall.startSeconds)) on: it "
                + parts.joined(separator: ", ")
                + (stall.origin.map { "; handed over by \($0)." } ?? ".")
        }
    }

    private static let guide = [
        "Each table is one sample with a tracer attached: it explains, and is not a measurement.",
        "Times are wall-clock times; a thread that waits for a processor counts as working.",
        "A time is counted once, for the innermost of the things that were going on.",
    ]

    private static func time(_ seconds: Double) -> String { MetricUnit.seconds.format(seconds) }
}
