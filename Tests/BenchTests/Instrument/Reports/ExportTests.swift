import Foundation
import Measuring
import Reports
import RunRecords
import Testing

@Suite struct `Exports` {
    private static let formatsOfFigures: [ExportFormat] = [
        .gitHubActionBenchmark, .gitHubActionBenchmarkBigger, .bencher, .jmh, .openmetrics,
    ]

    private static let metrics: [Metric] = [.time, .rowsPerSecond, .peakMemory, .statements]

    /// One cell with so many samples of a time, a rate, a size and a count.
    private static func run(_ subject: String = "nested", sampleCount: Int = 9) -> Run {
        var cell = SampleRun.cell(
            subject, (0..<sampleCount).map { Double(200 + $0) / 100 }, lockPolicy: "pooled",
            parameters: ["saveSize": "10"])
        for index in cell.samples.indices {
            cell.samples[index][.rowsPerSecond] = 1_000 + Double(index)
            cell.samples[index][.peakMemory] = 4_096 * Double(index + 1)
            cell.samples[index][.statements] = 7
        }
        return SampleRun.run([SampleRun.workload([cell])])
    }

    private static func objects(_ format: ExportFormat, _ run: Run) throws -> [[String: Any]] {
        let text = try format.text(of: run)
        return try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    }

    private static func measures(_ run: Run) throws -> [String: [String: [String: Double]]] {
        let text = try ExportFormat.bencher.text(of: run)
        return try JSONDecoder().decode(
            [String: [String: [String: Double]]].self, from: Data(text.utf8))
    }

    @Test(arguments: [
        (ExportFormat.gitHubActionBenchmark, ["time", "peakMemory"]),
        (.gitHubActionBenchmarkBigger, ["rowsPerSecond"]),
    ])
    func `a file of github-action-benchmark has the metrics of one direction`(
        format: ExportFormat, metrics: [String]
    ) throws {
        let names = try Self.objects(format, Self.run()).map { $0["name"] as? String }

        #expect(names == metrics.map { "import nested/pooled/saveSize=10 \($0)" })
    }

    @Test func `a figure of github-action-benchmark is a median with its interval`() throws {
        let time = try Self.objects(.gitHubActionBenchmark, Self.run())[0]

        #expect(time["value"] as? Double == 2.04)
        #expect(time["unit"] as? String == "seconds")
        #expect(time["range"] as? String == "[2.01, 2.07]")
        let extra = try #require(time["extra"] as? String)
        #expect(extra.contains("median of 9 values, range: 95 % interval"))
        #expect(extra.contains("release build"))
    }

    @Test func `Bencher gets each metric with its unit and bounds`() throws {
        let measures = try Self.measures(Self.run())

        #expect(
            measures == [
                "import nested/pooled/saveSize=10": [
                    "time (seconds)": ["value": 2.04, "lower_value": 2.01, "upper_value": 2.07],
                    "rowsPerSecond (perSecond)": [
                        "value": 1_004, "lower_value": 1_001, "upper_value": 1_007,
                    ],
                    "peakMemory (bytes)": [
                        "value": 20_480, "lower_value": 8_192, "upper_value": 32_768,
                    ],
                    "statements (count)": ["value": 7],
                ]
            ])
    }

    @Test func `JMH gets times and rates, with a fork for each sample`() throws {
        let results = try Self.objects(.jmh, Self.run())

        #expect(
            results.map { $0["benchmark"] as? String } == ["import.time", "import.rowsPerSecond"])
        #expect(results.map { $0["mode"] as? String } == ["ss", "thrpt"])
        let parameters = ["subject": "nested", "lockPolicy": "pooled", "saveSize": "10"]
        #expect(results[0]["params"] as? [String: String] == parameters)
        #expect(results[0]["forks"] as? Int == 9)
        let score = try #require(results[0]["primaryMetric"] as? [String: Any])
        #expect(score["score"] as? Double == 2.04)
        #expect(score["scoreConfidence"] as? [Double] == [2.01, 2.07])
        #expect(score["scoreUnit"] as? String == "s/op")
        #expect((score["rawData"] as? [[Double]])?.count == 9)
    }

    @Test func `the error of JMH covers an uneven interval`() throws {
        let cell = SampleRun.cell("nested", [1, 1, 1, 1, 5, 9])
        let score = try #require(
            Self.objects(.jmh, SampleRun.run([SampleRun.workload([cell])]))[0]["primaryMetric"]
                as? [String: Any])

        #expect(score["scoreError"] as? Double == 8)
    }

    /// The range of five samples holds the median in 93.75 % of experiments only.
    @Test(arguments: [(5, false), (6, true)])
    func `bounds need six samples`(sampleCount: Int, isBounded: Bool) throws {
        let run = Self.run(sampleCount: sampleCount)

        let time = try #require(Self.measures(run).first?.value["time (seconds)"])
        #expect((time["lower_value"] != nil) == isBounded)
        let entry = try Self.objects(.gitHubActionBenchmark, run)[0]
        #expect((entry["range"] != nil) == isBounded)
        let score = try Self.objects(.jmh, run)[0]["primaryMetric"] as? [String: Any]
        #expect((score?["scoreError"] as? String == "NaN") == !isBounded)
        let metrics = try ExportFormat.openmetrics.text(of: run)
        #expect(metrics.contains("stackbench_time_lower_seconds{") == isBounded)
    }

    @Test func `OpenMetrics has a gauge for each metric and for each bound`() throws {
        let text = try ExportFormat.openmetrics.text(of: Self.run())

        let labels =
            #"cell="nested/pooled/saveSize=10",metric="rowsPerSecond",subject="nested",workload="import""#
        for line in [
            "# TYPE stackbench_rows_per_second gauge",
            "# UNIT stackbench_rows_per_second per_second",
            "stackbench_rows_per_second{\(labels)} 1004",
            "stackbench_rows_lower_per_second{\(labels)} 1001",
            "stackbench_rows_upper_per_second{\(labels)} 1007",
            "# TYPE stackbench_peak_memory_bytes gauge", "# TYPE stackbench_statements gauge",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line)")
        }
        #expect(text.hasSuffix("\n# EOF\n"))
    }

    @Test func `OpenMetrics names a family once, before all of its samples`() throws {
        var family = ""
        var seen: Set<String> = []
        for line in try ExportFormat.openmetrics.text(of: SampleRun.full).split(separator: "\n") {
            if let type = line.wholeMatch(of: /# TYPE (\w+) gauge/) {
                family = String(type.output.1)
                #expect(seen.insert(family).inserted, "\(family)")
            } else if !line.hasPrefix("#") {
                #expect(line.hasPrefix(family + "{"), "\(line)")
            }
        }
        #expect(seen.count > 5)
    }

    @Test func `OpenMetrics escapes what would end a label`() throws {
        let text = try ExportFormat.openmetrics.text(of: Self.run("a\"b\\c\nd"))

        #expect(text.contains(#"subject="a\"b\\c\nd""#))
    }

    @Test(arguments: formatsOfFigures)
    func `another run of the same command has the same names`(format: ExportFormat) throws {
        func names(_ run: Run) throws -> String {
            let extra = /"extra" : "[^"]*"|stackbench_run[^\n]*/
            return try format.text(of: run).replacing(extra, with: "")
                .replacing(/-?[0-9]+(\.[0-9]+)?/, with: "0")
        }
        var other = Self.run()
        other.name = "another"
        for index in other.workloads[0].cells[0].samples.indices {
            for name in Self.metrics.map(\.name) {
                other.workloads[0].cells[0].samples[index].metrics[name]? *= 3
            }
        }

        #expect(try names(Self.run()) == names(other))
    }

    @Test(arguments: formatsOfFigures)
    func `cells that failed or gave a wrong answer are left out`(format: ExportFormat) throws {
        var run = Self.run()
        let sound = run.workloads[0].cells[0]
        for (subject, failure) in [("crashed", "signal 11"), ("wrong", nil)] {
            var cell = sound
            cell.subject = subject
            cell.failure = failure
            if failure == nil { cell.verification = .failed(reason: "a row is missing") }
            run.workloads[0].cells.append(cell)
        }

        #expect(try format.text(of: run) == format.text(of: Self.run()))
    }

    @Test(arguments: [false, true])
    func `a saturated load has no latencies from the due time`(isSaturated: Bool) throws {
        var run = SampleRun.run(SampleRun.full.workloads.filter { $0.name == "load" })
        for cell in run.workloads[0].cells.indices {
            for sample in run.workloads[0].cells[cell].samples.indices {
                run.workloads[0].cells[cell].samples[sample][.saturated] = isSaturated ? 1 : 0
            }
        }

        for format in [ExportFormat.bencher, .gitHubActionBenchmark, .hdr] {
            let text = try format.text(of: run)
            #expect(text.contains("intended") == !isSaturated, "\(format)")
            #expect(text.contains("service"))
        }
    }

    @Test(arguments: ExportFormat.allCases.filter { $0 != .comment })
    func `a run with nothing to export says what it lacks`(format: ExportFormat) {
        let run = SampleRun.run([SampleRun.workload([SampleRun.cell("nested", [])])])

        let error = ExportError.nothing(format, run: run.name)
        #expect(throws: error) { try format.text(of: run) }
        #expect(
            "\(error)".contains("cannot be exported as \(format.rawValue): it has no sound cell"))
    }

    @Test(arguments: ExportFormat.allCases.filter { $0 != .comment })
    func `a gate is no run`(format: ExportFormat) {
        let error = ExportError.needsRun(format, gate: "main → faster-saves")
        #expect(throws: error) { try format.text(of: SampleComparison.full) }
        #expect("\(error)".contains("export a run, or the gate as comment"))
    }
}
