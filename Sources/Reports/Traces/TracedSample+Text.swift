import Measuring
import RunRecords

extension TracedSample {
    /// What the main queue mostly did, and what its longest stall came from.
    var headline: String {
        guard let stall = stalls.first, let giver = giver(of: stall) else {
            return headline(naming: subject)
        }
        return "\(headline(naming: subject)) The longest stall came from \(escaped(giver))."
    }

    /// - Parameter name: What tells the sample from those beside it: a stack, or a parameter.
    private func headline(naming name: String) -> String {
        let busy = mainQueueBusySeconds
        guard busy > 0 else { return "**\(escaped(name))** left the main queue alone." }
        return "**\(escaped(name))** kept the main queue busy for \(Self.time(busy)) of "
            + "\(Self.time(seconds)), \(Self.time(longestStallSeconds)) at a stretch: it "
            + "\(Self.most(of: mainQueue))."
    }

    /// What the sample spent its time with, on the main queue or, if that was mostly idle, elsewhere.
    func cause(naming name: String) -> String {
        if mainQueueBusySeconds > seconds * 0.1 || others.isEmpty { return headline(naming: name) }
        return "\(headline(naming: name)) The other queues \(Self.most(of: others))."
    }

    private static func most(of shares: [Share]) -> String {
        let whole = shares.reduce(0) { $0 + $1.seconds }
        let first =
            shares.prefix(1) + shares.dropFirst().prefix(2).filter { $0.seconds > whole * 0.1 }
        return first.map { "\(escaped($0.activity)) (\(percent($0.seconds / whole)))" }
            .joined(separator: ", ")
    }

    /// What the queues did, in all.
    var sentence: String {
        let busy = mainQueueBusySeconds
        let lost =
            droppedCount > 0
            ? " \(droppedCount.formatted()) events were lost, so all times are too low." : ""
        let beat =
            longestBeatSeconds.map { " A heartbeat on it waited for \(Self.time($0)) at most." }
            ?? ""
        return "The main queue was busy for \(Self.time(busy)) of \(Self.time(seconds)) "
            + "(\(percent(busy / max(seconds, .leastNonzeroMagnitude)))), its longest stall took "
            + "\(Self.time(longestStallSeconds)).\(beat) The other queues and threads worked or "
            + "waited for \(Self.time(others.reduce(0) { $0 + $1.seconds })).\(lost)"
    }

    /// Shares below this are summed.
    private static let leastShare = 0.005

    /// What each queue spent its time with.
    var table: ReportTable {
        var table = ReportTable([
            ("queue", .left), ("colour", .left), ("what it did", .left), ("time", .right),
            ("share", .right), ("events", .right),
        ])
        for (queue, shares) in [("main", mainQueue), ("others", others)] {
            let whole = shares.reduce(0) { $0 + $1.seconds }
            func append(_ activity: String, _ colour: String, _ shares: [Share]) {
                let seconds = shares.reduce(0) { $0 + $1.seconds }
                guard seconds > 0 else { return }
                table.append([
                    queue, colour, escaped(activity), Self.time(seconds), percent(seconds / whole),
                    shares.reduce(0) { $0 + $1.count }.formatted(),
                ])
            }
            for share in shares where share.seconds >= whole * Self.leastShare {
                append(share.activity, share.kind.label, [share])
            }
            let small = shares.filter { $0.seconds < whole * Self.leastShare }
            append(
                small.count == 1 ? small[0].activity : "\(small.count) other activities", "", small)
        }
        return table
    }

    /// A sentence for each of the longest stalls: what the colours of the drawings stand for there.
    var stallSentences: [String] {
        stalls.map { stall in
            let parts = Dictionary(grouping: stall.shares, by: \.kind).map { kind, shares in
                (kind: kind, shares: shares, seconds: shares.reduce(0) { $0 + $1.seconds })
            }.sorted { ($0.seconds, $0.kind.rawValue) > ($1.seconds, $1.kind.rawValue) }
            let texts = parts.prefix(3).filter { $0.seconds > stall.seconds * 0.01 }.map {
                let activities = $0.shares.prefix(2).map(\.activity).joined(separator: ", ")
                return "\($0.kind.label) \(percent($0.seconds / stall.seconds)) (\(activities))"
            }
            return "**\(Self.time(stall.seconds))** from \(Self.time(stall.startSeconds)) on: "
                + texts.joined(separator: ", ")
                + (giver(of: stall).map { "; handed over by \(escaped($0))." }
                    ?? "; no other queue is known to have handed it over.")
        }
    }

    /// What handed the work of a stall to the main queue, or the queue on which that was; nil if it
    /// is not known or was the main queue.
    func giver(of stall: Stall) -> String? {
        if let origin = stall.origin { return origin }
        guard let lane = stall.handedOver?.lane, lane != lanes.first?.name else { return nil }
        return lane
    }

    private static func time(_ seconds: Double) -> String { MetricUnit.seconds.format(seconds) }
}

extension CausePlot {
    /// How many stacks are shown without a click.
    private static let shownCount = 3

    /// The bars of all stacks, the longest stall first; then the lanes of each, of the most behind a
    /// click.
    static func figures(of samples: [TracedSample]) -> [Markup] {
        let samples = samples.sorted { $0.longestStallSeconds > $1.longestStallSeconds }
        // The two that stall longest, and the best one that uses the main queue.
        let used = samples.filter { $0.mainQueueBusySeconds > 0 }
        guard !used.isEmpty else { return [] }
        let shown = used.count <= shownCount ? used : Array(used.prefix(2)) + [used[used.count - 1]]
        let hidden = used.filter { sample in !shown.contains(sample) }
        return [
            .figure(
                Chart.inBothWidths { CausePlot(.longestStall, of: samples, width: $0).chart },
                "**The longest stall of the main queue, and what it was spent with**, in one traced "
                    + "sample of each stack. A stall is one block of the main queue, during which nobody gets an "
                    + "answer; a user notices one that is longer than a frame."),
            .figure(
                Chart.inBothWidths { CausePlot(.busy, of: samples, width: $0).chart },
                "**How long it was busy in all, and with what**, in the same order, on another scale. "
                    + "A long bar of many short blocks stalls nobody."),
            .figure(
                .sequence(shown.map(\.figure)),
                "**The queues around the longest stall.** The thick lane is the main queue: while it has a "
                    + "colour, it cannot answer; white is free. Paler lanes are the other queues, in the same "
                    + "colours. A dashed line leads from where a queue handed the work over to where main begins it. "
                    + "Scales differ; each has the length of a frame."),
        ]
            + (hidden.isEmpty
                ? []
                : [.details("The other stacks", hidden.map(\.figure))])
    }
}

extension TracedSample {
    fileprivate var figure: Markup {
        .sequence(
            [.heading(subject)]
                + stallSentences.prefix(1).map { .paragraph("Its longest stall: \($0)") }
                + [Chart.inBothWidths { LanePlot(self, width: $0).chart }])
    }
}

extension WorkloadResult {
    /// The traced samples of its cells, in their order.
    var traces: [TracedSample] { cells.compactMap(\.trace) }
}
