import Benchmarking
import Testing

@Suite struct `Thresholds` {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var rule: ThresholdRule
        /// The cells for which it is crossed; nil where none can be judged.
        var crossed: [String]?
    }

    /// nested takes 1.2 times as long as grdb, single 1.5 times; both run 7 statements.
    private static func run() -> Run {
        var grdb = SampleRun.cell("grdb", [1, 2, 1, 1, 1], role: .peer)
        var nested = SampleRun.cell("nested", [1.2, 2.4, 1.2, 1.2, 1.2])
        let single = SampleRun.cell("single", [1.5, 3, 1.5, 1.5, 1.5])
        var recorder = LatencyRecorder()
        for value in UInt64(1)...2_000 { recorder.record(nanoseconds: value * 1_000) }
        nested.samples[0].latencies["mainQueue"] = recorder.summary
        for index in nested.samples.indices {
            nested.samples[index].counters["statements"] = 7
            grdb.samples[index].counters["statements"] = 7
        }
        return SampleRun.run([SampleRun.workload([nested, single, grdb], reference: "grdb")])
    }

    @Test(arguments: [
        Case(
            testDescription: "a median within the bound",
            rule: ThresholdRule(cell: "nested", metric: "time", bound: .atMost(1.2)), crossed: []),
        Case(
            testDescription: "a median beyond the bound",
            rule: ThresholdRule(metric: "time", bound: .atMost(1.3)), crossed: ["single"]),
        Case(
            testDescription: "the highest value",
            rule: ThresholdRule(
                cell: "nested", metric: "time", statistic: .max, bound: .atMost(2)),
            crossed: ["nested"]),
        Case(
            testDescription: "the lowest value",
            rule: ThresholdRule(
                cell: "nested", metric: "time", statistic: .min, bound: .atLeast(1.2)),
            crossed: []),
        Case(
            testDescription: "an exact count that holds",
            rule: ThresholdRule(cell: "nested", metric: "statements", bound: .exactly(7)),
            crossed: []),
        Case(
            testDescription: "an exact count that does not",
            rule: ThresholdRule(cell: "nested", metric: "statements", bound: .exactly(8)),
            crossed: ["nested"]),
        Case(
            testDescription: "a paired ratio",
            rule: ThresholdRule(
                cell: "?*e*", metric: "time", bound: .atMost(1.3), relativeTo: "grdb"),
            crossed: ["single"]),
        Case(
            testDescription: "a percentile of latencies of all samples",
            rule: ThresholdRule(
                cell: "nested", metric: "mainQueue", statistic: .p99, bound: .atMost(1.9e6)),
            crossed: ["nested"]),
        Case(
            testDescription: "a percentile within each sample",
            rule: ThresholdRule(cell: "nested", metric: "mainQueue.p99", bound: .atMost(2e6)),
            crossed: []),
        Case(
            testDescription: "a metric that the cell lacks",
            rule: ThresholdRule(cell: "*i*", metric: "mainQueue.p99", bound: .atMost(2e6)),
            crossed: nil),
        Case(
            testDescription: "a percentile of too few samples",
            rule: ThresholdRule(
                cell: "nested", metric: "time", statistic: .p99, bound: .atMost(9)), crossed: nil),
    ])
    func `a rule is judged on each cell it matches`(given: Case) throws {
        var rule = given.rule
        // Rules name a metric that some matching cell has.
        if given.crossed == nil, rule.cell == "*i*" { rule.cell = "*" }

        let report = try ThresholdCheck.evaluate([rule], Self.run())

        if let crossed = given.crossed {
            #expect(report.verdicts.filter(\.isCrossed).map(\.cell) == crossed)
            #expect(report.exitCode == (crossed.isEmpty ? .success : .thresholdCrossed))
            #expect(!report.verdicts.contains { $0.isOpen })
        } else {
            #expect(report.verdicts.contains { $0.isOpen })
            #expect(report.exitCode == .inconclusive)
        }
    }

    @Test func `a rule that matches nothing is an error that names it`() {
        let rule = ThresholdRule(cell: "nestd*", metric: "time", bound: .atMost(1))

        let error = #expect(throws: ThresholdError.self) {
            try ThresholdCheck.evaluate([rule], Self.run())
        }

        #expect(error?.description.contains("nestd*") == true)
        #expect(error?.description.contains("import nested") == true)
    }

    @Test func `a rule on a metric that nobody measured is an error`() {
        let rule = ThresholdRule(metric: "tme", bound: .atMost(1))

        let error = #expect(throws: ThresholdError.self) {
            try ThresholdCheck.evaluate([rule], Self.run())
        }

        #expect(error?.description.contains("there are: ") == true)
    }

    @Test(arguments: [
        (metric: "short.p99", remedy: "which needs 1,000 operations a sample"),
        (metric: "walBytes", remedy: "run without --no-counts"),
        (metric: "instructions", remedy: "run with --instructions"),
    ])
    func `a metric that these samples lack cannot be judged, and the remedy is named`(
        metric: String, remedy: String
    ) throws {
        var run = Self.run()
        var recorder = LatencyRecorder()
        recorder.record(nanoseconds: 1_000)
        run.workloads[0].cells[0].samples[0].latencies["short"] = recorder.summary
        let rule = ThresholdRule(cell: "nested", metric: metric, bound: .atMost(1))

        let report = try ThresholdCheck.evaluate([rule], run)

        #expect(report.exitCode == .inconclusive)
        #expect(report.description.contains("no sample has \(metric)"))
        #expect(report.description.contains(remedy))
    }

    @Test func `a rule that stood beside its workload is no error`() throws {
        var run = Self.run()
        run.workloads[0].thresholds = [
            ThresholdRule(workload: "import", metric: "intended.p99", bound: .atMost(1))
        ]

        let report = try ThresholdCheck.evaluate(run.thresholds, run)

        #expect(report.exitCode == .inconclusive)
    }

    @Test func `a rule on a subject that did not run is an error`() {
        let rule = ThresholdRule(metric: "time", bound: .atMost(1), relativeTo: "realm")

        #expect(throws: ThresholdError.self) {
            try ThresholdCheck.evaluate([rule], Self.run())
        }
    }

    @Test func `a wrong answer outweighs a crash and a crash a crossed threshold`() throws {
        var run = Self.run()
        let rule = ThresholdRule(cell: "nested", metric: "time", bound: .atMost(0.1))

        run.workloads[0].cells[1].failure = "signal 11"
        #expect(try ThresholdCheck.evaluate([rule], run).exitCode == .crash)

        run.workloads[0].cells[2].verification = .failed(reason: "one row too few")
        let report = try ThresholdCheck.evaluate([rule], run)
        #expect(report.exitCode == .wrongAnswer)
        #expect(report.description.contains("✗ import grdb: wrong answer: one row too few"))
    }

    @Test func `a wrong reference judges nobody`() throws {
        var run = Self.run()
        run.workloads[0].cells[2].verification = .failed(reason: "one row too few")
        let rule = ThresholdRule(
            cell: "nested", metric: "time", bound: .atMost(9), relativeTo: "grdb")

        #expect(try ThresholdCheck.evaluate([rule], run).verdicts.first?.isOpen == true)
    }

    @Test func `a verdict says what was measured, against what, and how sure`() throws {
        let rule = ThresholdRule(
            cell: "nested", metric: "time", bound: .atMost(1.1), reason: "a budget")

        let report = try ThresholdCheck.evaluate([rule], Self.run())

        #expect(
            report.description.hasPrefix(
                "✗ import nested: median time 1.20 s, limit ≤ 1.10 s — a budget"))
        #expect(report.description.hasSuffix("a threshold is crossed (exit 11)"))
    }

    @Test func `a verdict is told in the metric's unit`() throws {
        var run = Self.run()
        run.workloads[0].extraMetrics = [Metric("firstPage", unit: .seconds)]
        run.workloads[0].cells[0].samples[0].metrics["firstPage"] = 0.012
        let rules = [
            ThresholdRule(cell: "nested", metric: "firstPage", bound: .atMost(0.02)),
            ThresholdRule(
                cell: "nested", metric: "mainQueue", statistic: .p99, bound: .atMost(16_700_000)),
            ThresholdRule(
                cell: "nested", metric: "time", bound: .atMost(1.3), relativeTo: "grdb"),
        ]

        let verdicts = try ThresholdCheck.evaluate(rules, run).verdicts.map(\.description)

        #expect(
            verdicts == [
                "✓ import nested: median firstPage 12.0 ms, limit ≤ 20.0 ms",
                "✓ import nested: p99 mainQueue 1.98 ms, limit ≤ 16.7 ms",
                "✓ import nested: median time 1.200× grdb, limit ≤ 1.300× grdb",
            ])
    }

    @Test func `an interval over the bound is mentioned`() throws {
        let rule = ThresholdRule(cell: "nested", metric: "time", bound: .atMost(1.5))

        let report = try ThresholdCheck.evaluate([rule], Self.run())

        #expect(report.description.contains("not certain: the interval is 1.20 s to 2.40 s"))
    }

    @Test(arguments: [
        ("*", "", true), ("*", "a/b", true), ("", "", true), ("", "a", false), ("a", "a", true),
        ("a", "A", false), ("a*", "abc", true), ("*c", "abc", true), ("a*c", "abcbc", true),
        ("a*c", "abcb", false), ("?", "", false), ("?b", "ab", true), ("a**b", "ab", true),
        ("n*/fetchBatchSize=20", "nested/pooled/fetchBatchSize=20", true),
        ("*batch*", "nested", false), ("[a]", "a", false), ("a*b*c", "a1b2b3c", true),
    ])
    func `a glob fits whole texts`(pattern: String, text: String, fits: Bool) {
        #expect(Glob(pattern).matches(text) == fits)
    }

    @Test func `exit codes are those of the table and each says what it means`() {
        #expect(
            ExitCode.allCases.map(\.rawValue)
                == [0, 10, 11, 12, 13, 14, 15, 64, 69, 70, 130])
        #expect(Set(ExitCode.allCases.map(\.meaning)).count == ExitCode.allCases.count)
    }
}
