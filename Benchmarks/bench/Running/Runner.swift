import Benchmarking
import Datasets
import Foundation

/// Runs workloads: every sample in a process of its own, round by round, all cells of a workload
/// once in each round and in random order.
///
/// `run.json` is rewritten after every sample, so that a run that is killed loses one at most.
struct Runner {
    private let workloads: [Workload]
    private let directory: RunDirectory
    /// A worker that takes longer is taken for hung.
    private let timeout: Duration
    private let progress: ProgressReporter
    private let stores: PreparedStores
    private let watch = Stopwatch()
    private var canary = NoiseCanary()
    private var run: Run

    init(
        _ workloads: [Workload], run: Run, into directory: RunDirectory, timeout: Duration
    ) {
        self.workloads = workloads
        self.run = run
        self.directory = directory
        self.timeout = timeout
        progress = ProgressReporter(plan: workloads.flatMap(\.steps))
        stores = PreparedStores(
            folder: directory.workURL.appendingPathComponent("prepared"),
            timeout: timeout)
    }

    /// Runs everything, writes the reports, and returns what became of it.
    ///
    /// - Throws: when the disk cannot be written, the data set is damaged, or no process starts.
    mutating func execute() throws -> Run {
        try directory.write(run)
        try FileManager.default.createDirectory(
            at: directory.workURL, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory.workURL) }
        let selections = try selectData()
        _ = canary.read()
        for workload in workloads where !Interruption.isRequested {
            let data = workload.kind.usesDataset ? selections[workload.flightCount] : nil
            try measure(workload, on: data)
        }
        progress.finish()
        run.state = Interruption.isRequested ? .interrupted : .completed
        run.finishedAt = Date()
        try directory.write(run)
        try directory.writeReports(of: run)
        return run
    }

    /// Reads each part of the data set that is worked on, for what it must be found to hold; the
    /// run describes the largest.
    private mutating func selectData() throws -> [Int?: DatasetSelection] {
        var selections: [Int?: DatasetSelection] = [:]
        var largest = -1
        for flightCount in Set(workloads.filter(\.kind.usesDataset).map(\.flightCount)) {
            progress.note("reading \(flightCount.map(String.init) ?? "all") flights")
            let dataset = try DatasetSelection.load(flightCount: flightCount)
            selections[flightCount] = DatasetSelection(
                flightCount: flightCount, facts: dataset.facts)
            if dataset.flights.count > largest {
                largest = dataset.flights.count
                run.dataset = DatasetDescription(dataset)
            }
        }
        return selections
    }

    private mutating func measure(_ workload: Workload, on data: DatasetSelection?) throws {
        let cells = workload.cells
        let place = run.workloads.count
        run.workloads.append(WorkloadResult(workload, cells: cells, data: data))
        let schedule = InterleavedSchedule(
            subjects: Array(cells.indices), repetitions: workload.repetitions,
            seed: run.seed &+ UInt64(place))
        for round in schedule.rounds {
            for (position, index) in round.order.enumerated() {
                guard !Interruption.isRequested else { return }
                progress.begin(workload.step(of: cells[index], repetition: round.repetition))
                // A cell that failed once has no result to add to.
                if run.workloads[place].cells[index].isSound {
                    let ending = try sample(
                        cells[index], of: workload, on: data, repetition: round.repetition,
                        position: position)
                    record(ending, in: place, index)
                    try directory.write(run)
                }
                progress.end()
            }
        }
    }

    private mutating func sample(
        _ cell: Cell, of workload: Workload, on data: DatasetSelection?, repetition: Int,
        position: Int
    ) throws -> WorkerProcess.Ending {
        var job = WorkerJob(
            kind: workload.kind.name, parameters: cell.parameters, subject: cell.subject.name,
            lockPolicy: cell.lockPolicy, synchronous: workload.synchronous,
            seed: run.seed &+ UInt64(repetition),
            folder: directory.workURL.appendingPathComponent("sample"), dataset: data,
            load: workload.load)
        if workload.kind.needsPreparedStore(for: cell.parameters) {
            switch try stores.store(for: job) {
            case .store(let url): job.preparedStore = url
            case .ending(let ending): return ending
            }
        }
        try FileManager.default.createDirectory(
            at: job.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: job.folder) }
        let canarySeconds = canary.read()
        let startedAtSeconds = watch.elapsedSeconds
        let ending = try WorkerProcess.run(job, timeout: timeout)
        guard case .outcome(var outcome) = ending else { return ending }
        outcome.sample.repetition = repetition
        outcome.sample.positionInRound = position
        outcome.sample.startedAtSeconds = startedAtSeconds
        outcome.sample[.canary] = canarySeconds
        return .outcome(outcome)
    }

    private mutating func record(_ ending: WorkerProcess.Ending, in place: Int, _ index: Int) {
        var cell = run.workloads[place].cells[index]
        switch ending {
        case .interrupted: return
        case .failure(let reason):
            cell.failure = reason
            progress.note("\(run.workloads[place].name) \(cell.identifier) failed: \(reason)")
        case .outcome(let outcome):
            cell.samples.append(outcome.sample)
            cell.verification = outcome.verification
            if case .failed(let reason) = outcome.verification {
                progress.note("\(run.workloads[place].name) \(cell.identifier) is wrong: \(reason)")
            }
        }
        run.workloads[place].cells[index] = cell
    }
}

extension RunDirectory {
    /// Where stores lie while a run lasts: beside its results, thus on the same disk each time.
    fileprivate var workURL: URL { url.appendingPathComponent("work") }
}

extension Run {
    /// What `bench run` answers to its caller: the gravest thing that happened.
    var exitCode: ExitCode {
        let cells = workloads.flatMap(\.cells)
        let isWrong = cells.contains {
            if case .failed = $0.verification { true } else { false }
        }
        if isWrong { return .wrongAnswer }
        if cells.contains(where: { $0.failure != nil }) { return .crash }
        return state == .interrupted ? .interrupted : .success
    }
}
