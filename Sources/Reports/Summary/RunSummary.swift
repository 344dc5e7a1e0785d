import Measuring
import RunRecords

/// `summary.md` of a run: the first screen, a section for each workload, the origin of the figures,
/// and how to read them.
struct RunSummary {
    let run: Run

    init(_ run: Run) {
        self.run = run
    }

    var markdown: String {
        var parts = ["# Run \(escaped(run.name))", FirstScreen(run).markdown]
        if let rules = run.ruleReport?.otherLines, !rules.isEmpty {
            parts.append("Rules beside the workloads:")
            parts.append(rules.map { "- \($0)" }.joined(separator: "\n"))
        }
        parts += run.summaries.map { WorkloadSection($0).markdown }
        parts += ["## Where the figures come from", Provenance(run).table.markdown]
        parts += ["## How to read this", Self.guide.map { "- \($0)" }.joined(separator: "\n")]
        return parts.joined(separator: "\n\n") + "\n"
    }

    static let guide = [
        """
        **faster**, **slower** (times), **less** and **more** (anything else) come with a ratio and its interval. \
        On this machine, in this hour, at most one such report in 20 contains a false verdict. Ratios of another day \
        may lie outside an interval: repeat the run to learn how far.
        """,
        """
        **equivalent within x %**: the whole interval lies within a difference that the workload file declares too small \
        to act on. **undecided**: none of these; the brackets say what would decide it. A question is decided if all \
        of its comparisons are.
        """,
        """
        A ratio compares samples of the same round, so a slow phase of the machine affects both sides. Counts that \
        repeat exactly are compared without rounds.
        """,
        """
        A figure is the median of its samples. **[a, b]** is its 95 % interval if the samples are independent. Noise that \
        lasts longer than a sample makes it too narrow, so only ratios have verdicts.
        """,
        """
        **÷ name** is the median of the ratios within rounds. It has no verdict unless a question asks for it.
        """,
        """
        **p99** of a queue counts from the time at which the work was due. It is shown only if at least 10 latencies lie \
        beyond it. Columns with “all samples” merge the latencies of all samples. Other columns show the median over the \
        samples.
        """,
        """
        **✓**: the answer read back from the store is right. A cell that failed or gave a wrong answer is not compared. \
        **–**: not measured.
        """,
        """
        All samples are in `samples.csv`, all figures in `figures.csv`, all ratios in `comparisons.csv`, all verdicts in \
        `verdict.json`; `columns.csv` says what each column means. `run.json` has everything; `bench report` makes the \
        other files from it.
        """,
    ]
}
