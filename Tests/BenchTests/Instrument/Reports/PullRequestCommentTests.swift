import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@Suite struct `Comments for pull requests` {
    /// What a reader sees before unfolding anything.
    private static func shown(_ comment: PullRequestComment) throws -> [String] {
        let lines = comment.markdown.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init).dropLast()
        let fold = try #require(lines.firstIndex { $0.hasPrefix("<details>") })
        #expect(lines.last == "</details>")
        #expect(lines.count { $0.contains("<details>") } == 1)
        return lines[...fold] + ["</details>"]
    }

    private static var manyFaults: Run {
        var run = SampleRun.full
        run.workloads[0].cells += (0..<200).map { number in
            var cell = SampleRun.cell("crashed-\(number)", [])
            cell.failure = Array(repeating: "a line of a trace", count: 60).joined(separator: "\n")
            return cell
        }
        return run
    }

    private static var manyChanges: ComparisonReport {
        var report = SampleComparison.full
        report.rows += (0..<900).map { number in
            SampleComparison.paired(
                "import", "nested-\(number)", .regressed, by: 0.1, spread: 0.01, seed: 1)
        }
        return report
    }

    private static func check(_ rules: [ThresholdRule]) throws -> PullRequestComment {
        let run = SampleRun.run([
            SampleRun.workload([SampleRun.cell("nested", Array(repeating: 1, count: 9))])
        ])
        return PullRequestComment(try ThresholdCheck.evaluate(rules, run), name: run.name)
    }

    @Test func `at most 25 lines show, and GitHub accepts the rest`() throws {
        let rules = (1...80).map {
            ThresholdRule(metric: "time", bound: .atMost(1 / Double($0 + 1)))
        }
        for comment in [
            PullRequestComment(SampleRun.full), PullRequestComment(Self.manyFaults),
            PullRequestComment(SampleRun.run([])), PullRequestComment(SampleComparison.full),
            PullRequestComment(Self.manyChanges), try Self.check(rules),
        ] {
            let lines = try Self.shown(comment)
            #expect(lines.count <= 25, "\(lines)")
            // A long line takes several.
            let width = lines.map { max(1, ($0.count + 119) / 120) }.reduce(0, +)
            #expect(width <= 25, "\(lines)")
            #expect(comment.markdown.utf16.count <= 65_536)
        }
    }

    @Test func `of a gate crashes come first, then regressions, improvements and doubts`() throws {
        let lines = try Self.shown(PullRequestComment(SampleComparison.full))
            .filter { $0.hasPrefix("- ") }

        let words = [
            "✗ **paging single** failed", "**import nested/pooled** is 8.",
            "has 2.1 % more statements",
            "faster in time", "cannot be judged",
        ]
        #expect(lines.count == words.count)
        for (line, word) in zip(lines, words) { #expect(line.contains(word), "\(line)") }
    }

    @Test func `what does not fit is counted and folded`() throws {
        let lines = try Self.shown(PullRequestComment(Self.manyChanges))

        let count = lines.count { $0.hasPrefix("- ") }
        #expect(count > 3)
        #expect(
            lines.contains(
                "<details><summary>\(905 - count) more of these, and everything else</summary>"))
    }

    @Test func `of a run failures come before answers`() throws {
        let lines = try Self.shown(PullRequestComment(SampleRun.full))

        let findings = lines.filter { $0.hasPrefix("- ") }
        #expect(findings[0].contains("import isolated-batch/pooled: wrong answer"))
        #expect(findings[1].contains("responsiveness main-only/pooled: failed"))
        #expect(findings[2].contains("If you only import"))
    }

    @Test func `a debug build shows that its times mean nothing`() throws {
        var run = SampleRun.full
        run.build = .debug

        #expect(
            try Self.shown(PullRequestComment(run)).contains {
                $0.contains("This is a debug build: its times mean nothing.")
            })
    }

    @Test func `a run without questions folds its figures`() {
        let run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [1, 2, 3])])])

        let comment = PullRequestComment(run).markdown

        #expect(comment.contains("**This run asks no question, so its figures have no verdicts.**"))
        #expect(comment.contains("**Import**\n\n| "))
    }

    @Test func `of a check crossed rules come first`() throws {
        let lines = try Self.shown(
            Self.check([
                ThresholdRule(metric: "time", bound: .atMost(2)),
                ThresholdRule(metric: "time", statistic: .p99, bound: .atMost(2)),
                ThresholdRule(metric: "time", bound: .atMost(0.5)),
            ]))

        #expect(
            lines.contains(
                "**Rules: 1 held, 1 crossed, 1 could not be judged.** Exit 11: a threshold is crossed."
            ))
        #expect(lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2).first } == ["✗", "?"])
    }
}
