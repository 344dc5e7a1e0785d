import Foundation

/// `report.md`: what was run, the answer, a table for each workload, advice, how to read it.
struct MarkdownReport {
    let run: Run

    init(_ run: Run) {
        self.run = run
    }

    var text: String {
        let summaries = run.workloads.map(WorkloadSummary.init)
        let advice = Advice.on(run)
        var parts = ["# Run \(escaped(run.name))", header]
        parts.append("## The answer")
        parts.append(
            summaries.isEmpty
                ? "Nothing was measured."
                : summaries.map { Answer($0).text }.joined(separator: "\n"))
        if let overview = Overview(summaries) { parts.append(overview.text) }
        if !advice.isEmpty {
            parts.append("Before you believe it:")
            parts.append(advice.map { "- \($0)" }.joined(separator: "\n"))
        }
        parts += summaries.map { WorkloadSection($0).text }
        parts += ["## How to read this", guide]
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var header: String {
        let identity = run.environment.identity
        let memory = MetricUnit.bytes.format(Double(identity.memoryBytes))
        var table = MarkdownTable([("", .left), ("", .left)])
        table.append(["Taken", taken])
        table.append(["Data", data])
        table.append([
            "Build", "\(run.build.rawValue), \(identity.swiftVersion), \(identity.allocator)",
        ])
        table.append([
            "Machine",
            "\(identity.coreCount) × \(identity.cpuModel), \(memory), "
                + "\(identity.operatingSystem), kernel \(identity.kernel)",
        ])
        table.append(["SQLite", identity.sqliteVersion])
        table.append(["Seed", "\(run.seed)"])
        table.append(["Again", "`\(command)`"])
        return table.text
    }

    private var taken: String {
        let begin = run.startedAt.formatted(.iso8601).replacing("T", with: " ")
            .replacing("Z", with: " UTC")
        guard let end = run.finishedAt else { return "\(begin), not finished" }
        let length = ProgressReporter.clock(end.timeIntervalSince(run.startedAt))
        return "\(begin), \(length) long, \(run.state.rawValue)"
    }

    private var data: String {
        guard let dataset = run.dataset else { return "none but what the workloads make" }
        let counts = dataset.rowCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(grouped(Double($0.value))) \($0.key)" }.joined(separator: ", ")
        let origin =
            dataset.origin == .real ? "real data" : "**generated**, of the shape of the real data"
        return escaped(dataset.name) + ", \(origin): \(counts) (\(escaped(dataset.identity)))"
    }

    /// The program's own path says nothing to others.
    private var command: String {
        let arguments = run.commandLine.dropFirst().map { argument in
            argument.contains { $0.isWhitespace || "*?'\"$".contains($0) }
                ? "'\(argument)'" : argument
        }
        return (["swift run -c release bench"] + arguments).joined(separator: " ")
    }

    private var guide: String {
        let counts = Set(run.workloads.flatMap(\.cells).map(\.samples.count)).sorted()
        let coverages = counts.compactMap { count in
            Statistics.medianInterval((0..<count).map(Double.init)).map {
                "\(fixed($0.coverage * 100, 1)) % with \(count) samples"
            }
        }
        let coverage = coverages.isEmpty ? "" : ": " + coverages.joined(separator: ", ")
        return """
            - Every subject ran once in each round, in random order, on the same data and with \
            the same durability. A number is the median of its samples.
            - **[a, b]** is the exact interval of the median between two samples; it assumes \
            nothing of the noise. It holds the true median with a known chance\(coverage).
            - **÷ name** is the median of the ratios within rounds: what slows the machine \
            for a while slows both sides, so it is steadier than the times. Below 1 is less than \
            that subject.
            - **Bold** is the best stack, only where it beats every other stack by more than 2 %, \
            with the whole interval of the ratio, over at least \(PairedRatio.pairsNeeded) \
            rounds. No bold in a column: no clear winner. Peers and counts are never bold.
            - Bars have the longest of their table as their full length. Under "cases", the \
            overview takes the geometric mean.
            - **p99** of a queue counts from the moment at which the work was due, over all \
            samples together, and is shown only where 10 latencies lie beyond it.
            - **✓**: the answer was read back and was right. A subject with a wrong answer, or \
            one that failed, does not rank. **–**: not measured here.
            - All samples are in `samples.csv`; everything is in `run.json`, from which \
            `bench report` makes the rest again.
            """
    }
}
