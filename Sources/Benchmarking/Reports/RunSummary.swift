/// `summary.md` of a run: what was run, the answer, a table for each workload, advice, how to read it.
struct RunSummary {
    let run: Run

    init(_ run: Run) {
        self.run = run
    }

    var markdown: String {
        let summaries = run.workloads.map(WorkloadSummary.init)
        let advice = Advice.on(run)
        var parts = ["# Run \(escaped(run.name))", Provenance(run).table.markdown]
        parts.append("## The answer")
        parts.append(Headline(summaries).text)
        if !summaries.isEmpty {
            parts.append(summaries.map { Answer($0).markdown }.joined(separator: "\n"))
        }
        if let overview = Overview(summaries) { parts.append(overview.table.markdown) }
        if let rules = try? run.ruleReport() {
            parts.append("Rules beside the workloads:")
            parts.append(rules.findings.map { "- \($0)" }.joined(separator: "\n"))
        }
        if !advice.isEmpty {
            parts.append("Before you believe it:")
            parts.append(advice.map { "- \($0)" }.joined(separator: "\n"))
        }
        parts += summaries.map { WorkloadSection($0).markdown }
        parts += ["## How to read this", guide.map { "- \($0)" }.joined(separator: "\n")]
        return parts.joined(separator: "\n\n") + "\n"
    }

    var guide: [String] {
        let counts = Set(run.workloads.flatMap(\.cells).map(\.samples.count)).sorted()
        let coverages = counts.compactMap { count in
            Statistics.medianInterval((0..<count).map(Double.init)).map {
                "\(fixed($0.coverage * 100, 1)) % with \(count) samples"
            }
        }
        let coverage = coverages.isEmpty ? "" : ": " + coverages.joined(separator: ", ")
        return [
            """
            Every subject ran once in each round, in random order, on the same data and with \
            the same durability. A number is the median of its samples.
            """,
            """
            **[a, b]** is the exact interval of the median between two samples; it assumes \
            nothing of the noise. It holds the true median with a known chance\(coverage).
            """,
            """
            **÷ name** is the median of the ratios within rounds: what slows the machine \
            for a while slows both sides, so it is steadier than the times. Below 1 is less than \
            that subject.
            """,
            """
            **Bold** is the best stack, only where it beats every other stack by more than 2 %, \
            with the whole interval of the ratio, over at least \(PairedRatio.pairsNeeded) \
            rounds. No bold in a column: no clear winner. Peers and counts are never bold. Each \
            column is judged by itself: of many, a few are bold by chance.
            """,
            """
            Bars have the longest of their table as their full length. Where the overview tells \
            several cases together, it takes their geometric mean.
            """,
            """
            **p99** of a queue counts from the moment at which the work was due, over all \
            samples together, and is shown only where 10 latencies lie beyond it.
            """,
            """
            **✓**: the answer was read back and was right. A subject with a wrong answer, or \
            one that failed, does not rank. **–**: not measured here.
            """,
            """
            All samples are in `samples.csv`, all medians and ratios in `results.csv`, the \
            drawings in `report.html`; everything is in `run.json`, from which `bench report` \
            makes the rest again.
            """,
        ]
    }
}
