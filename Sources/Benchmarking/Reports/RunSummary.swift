/// `summary.md` of a run: the first screen, a section for each workload, the origin of the figures,
/// and how to read them.
struct RunSummary {
    let run: Run

    init(_ run: Run) {
        self.run = run
    }

    var markdown: String {
        var parts = ["# Run \(escaped(run.name))", FirstScreen(run).markdown]
        if let rules = try? run.ruleReport() {
            parts.append("Rules beside the workloads:")
            parts.append(rules.findings.map { "- \($0)" }.joined(separator: "\n"))
        }
        parts += run.summaries.map { WorkloadSection($0).markdown }
        parts += ["## Where the figures come from", Provenance(run).table.markdown]
        parts += ["## How to read this", Self.guide.map { "- \($0)" }.joined(separator: "\n")]
        return parts.joined(separator: "\n\n") + "\n"
    }

    static let guide = [
        """
        **faster**, **slower** (of times), **less** and **more** (of anything else) come with a ratio and the interval \
        that holds it. All intervals of a run hold together with 95 %: of 20 reports, one contains a false verdict.
        """,
        """
        **equivalent within x %**: the whole interval lies within the difference that nobody would act on, which the \
        workload file gives. **undecided**: neither; what would decide it follows in brackets.
        """,
        """
        A ratio compares neighbours in time, round by round: what slows the machine for a while slows both. Counts that \
        repeat exactly are compared without rounds.
        """,
        """
        A figure is the median of its samples, and **[a, b]** two samples around it that would hold the median of \
        independent samples with 95 %. Noise that lasts makes them too narrow: only ratios have verdicts.
        """,
        """
        **÷ name** is the median of the ratios within rounds; without a question it has no verdict.
        """,
        """
        **p99** of a queue counts from the moment at which the work was due, and is shown only where 10 latencies lie \
        beyond it. “All samples” tells of their latencies put together, any other column of the median sample.
        """,
        """
        **✓**: the answer was read back and was right. A cell with a wrong answer, or one that failed, is not compared. \
        **–**: not measured.
        """,
        """
        All samples are in `samples.csv`, all figures and ratios in `results.csv`, all verdicts in `verdict.json`; \
        everything is in `run.json`, from which `bench report` makes the rest again.
        """,
    ]
}
