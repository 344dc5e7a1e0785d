import Foundation
import Reports
import RunRecords
import TestSupport
import Testing

@Suite struct `What machines are told` {
    @Test func `JUnit counts failures, errors and what could not be judged`() throws {
        let document = try Document(Judgements(of: SampleComparison.full).junit)

        let root = Dictionary(
            document.attributes.prefix(5).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(root["tests"] == "7")
        #expect(root["failures"] == "2")
        #expect(root["errors"] == "1")
        #expect(root["skipped"] == "1")
        #expect(document.elements.count { $0 == "testcase" } == 7)
    }

    @Test func `crossed thresholds are failures in JUnit and errors on GitHub`() throws {
        let run = SampleRun.run([
            SampleRun.workload([SampleRun.cell("nested", Array(repeating: 1, count: 7))])
        ])
        let rules = [
            ThresholdRule(metric: "time", bound: .atMost(0.5), reason: "it was 0.4,\nonce: 100 %"),
            ThresholdRule(metric: "time", bound: .atMost(2)),
        ]

        let judgements = Judgements(of: try ThresholdCheck.evaluate(rules, run), name: "check")

        #expect(try Document(judgements.junit).elements.count { $0 == "failure" } == 1)
        let lines = judgements.annotations.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines[0].hasPrefix("::error title=import nested median time::"))
        #expect(lines[0].hasSuffix("it was 0.4,%0Aonce: 100 %25"))
    }

    @Test func `a run without faults has nothing to annotate`() {
        let run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [1])])])

        #expect(Judgements(of: run).annotations.isEmpty)
    }

    @Test func `a comparison comes back as it was written`() throws {
        let directory = try TemporaryRuns.directory()
        defer { TemporaryRuns.remove(directory) }

        try directory.write(SampleComparison.full)

        #expect(directory.holdsComparison)
        #expect(try directory.loadComparison() == SampleComparison.full)
    }

    @Test func `every verdict has a sentence that says how sure it is`() {
        let sentences = SampleComparison.full.rows.map(\.sentence)

        #expect(sentences[0].contains("8.") && sentences[0].contains("% slower in time (at least"))
        #expect(sentences[0].contains("20 of 20 pairs agree; confirmed by 20 of 20 fresh pairs"))
        #expect(sentences[1].contains("did not change; a change of 1.4 % would have been seen"))
        #expect(sentences[2].contains("% faster in time"))
        #expect(sentences[3].contains("cannot be judged: the pairs differ too much"))
        #expect(sentences[3].contains("only a change of 32 % or more would have been seen"))
        #expect(sentences[4].contains("has 2.1 % more statements: 338,100 before, 345,213 now"))
    }
}
