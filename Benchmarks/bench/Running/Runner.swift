import Benchmarking
import Foundation

/// What a run does besides its workloads.
struct RunOptions: Sendable {
    /// A worker that takes longer is taken for hung.
    var timeout = Duration.seconds(600)
    /// Rounds go on for about so long, at least one of each workload; nil for the workloads' own
    /// number of rounds.
    var budget: Duration?
    /// Whether each cell's work is counted first.
    var counts = true
    /// Whether its instructions are counted too.
    var countsInstructions = false
}

/// Runs workloads: every sample in a process of its own, round by round. A round takes a sample of
/// each cell of each workload, the cells of a workload in random order.
///
/// The journal gets a line after every sample, so that a run that is killed loses one at most and
/// can be taken up again.
struct Runner {
    private let workloads: [Workload]
    private let directory: RunDirectory
    private let options: RunOptions
    private let preparation: Preparation
    private let capacities: ReferenceCapacity
    private let progress: ProgressReporter
    private let watch = Stopwatch()
    private var canary = NoiseCanary()
    private var run: Run
    /// What the journal already told when this process began.
    private let earlier: [RunEntry]
    private var done: Set<Step>
    private let secondsBefore: Double

    /// A sample of a cell, or its counts where the repetition is nil.
    private struct Step: Hashable {
        var workload: String
        var cell: String
        var repetition: Int?
    }

    /// - Parameter run: without workloads.
    /// - Parameter earlier: the entries of the journal, where the run is resumed.
    /// - Throws: when the disk cannot be written.
    init(
        _ workloads: [Workload], run: Run, into directory: RunDirectory, options: RunOptions,
        earlier: [RunEntry] = []
    ) throws {
        self.workloads = workloads
        self.run = run
        self.directory = directory
        self.options = options
        self.earlier = earlier
        let measured = earlier.compactMap(\.measurement)
        done = Set(
            measured.map { Step(workload: $0.workload, cell: $0.cell, repetition: $0.repetition) })
        secondsBefore = measured.compactMap(\.sample?.startedAtSeconds).max() ?? 0
        progress = ProgressReporter(plan: [])
        // Beside the results, thus on the same disk each time.
        preparation = try Preparation(
            folder: directory.url.appendingPathComponent("work"), timeout: options.timeout)
        capacities = ReferenceCapacity(
            preparation, seed: run.seed, earlier: earlier.compactMap(\.capacity))
    }

    /// Runs everything, writes the reports, and returns what became of it.
    ///
    /// - Throws: when the disk cannot be written, the data set is damaged, no process starts, or
    ///   the workloads are not those that the run began with.
    mutating func execute() throws -> Run {
        defer { preparation.remove() }
        try begin()
        _ = canary.read()
        try countAll()
        try measureAll()
        progress.finish()
        try record(.ended(Interruption.isRequested ? .interrupted : .completed, at: Date()))
        let finished = try directory.load()
        try directory.write(finished)
        try directory.writeReports(of: finished)
        return finished
    }

    private mutating func begin() throws {
        progress.note("preparing \(workloads.count) workloads")
        run.workloads = try workloads.map {
            WorkloadResult($0, cells: $0.cells, data: try preparation.selection(for: $0))
        }
        run.dataset = preparation.dataset
        guard case .began(let beginning) = earlier.first else {
            return try record(.began(run))
        }
        guard beginning.workloads == run.workloads, beginning.dataset == run.dataset else {
            throw CommandFailure(
                exitCode: .usage,
                message: "the workloads are not those that \(directory.url.relativePath) began "
                    + "with: a file or the data set has changed; start a new run")
        }
        try directory.journal.repair()
        for entry in earlier.dropFirst() { run.apply(entry) }
        try record(.resumed(at: Date()))
    }

    private mutating func record(_ entry: RunEntry) throws {
        try directory.journal.append(entry)
        run.apply(entry)
    }

    // MARK: Counting

    private mutating func countAll() throws {
        guard options.counts else { return }
        progress.expect(
            workloads.flatMap { workload in
                workload.cells.map { workload.step(of: $0, repetition: nil) }
            })
        for place in workloads.indices {
            for index in workloads[place].cells.indices { try perform(place, index) }
        }
    }

    private func count(_ arm: PairedArm) throws -> WorkerProcess.Ending {
        let ending = try CountingPass.run(
            arm, seed: CountingPass.seed, preparation: preparation)
        guard options.countsInstructions, case .outcome(var outcome) = ending else { return ending }
        outcome.sample[.instructions] = try InstructionPass.run(
            arm, seed: CountingPass.seed, preparation: preparation)
        if outcome.sample[.instructions] == nil {
            progress.note(
                "\(arm.workload.name): instructions not counted, since the work cannot be repeated "
                    + "in one store or its worker failed under valgrind")
        }
        return .outcome(outcome)
    }

    // MARK: Measuring

    private mutating func measureAll() throws {
        let budgetSeconds = options.budget.map { $0 / .seconds(1) }
        let schedules = workloads.enumerated().map { place, workload in
            InterleavedSchedule(
                subjects: Array(workload.cells.indices),
                repetitions: options.budget == nil ? workload.repetitions : 1_000,
                seed: run.seed &+ UInt64(place)
            ).rounds
        }
        if budgetSeconds == nil { progress.expect(workloads.flatMap(\.steps)) }
        var roundSeconds = workloads.map { _ in 0.0 }
        for number in 0..<(schedules.map(\.count).max() ?? 0) {
            var isOver = budgetSeconds != nil
            for (place, rounds) in schedules.enumerated() where number < rounds.count {
                let roundStart = elapsedSeconds
                if let budgetSeconds, number > 0 {
                    guard roundStart + roundSeconds[place] <= budgetSeconds else { continue }
                }
                isOver = false
                if budgetSeconds != nil {
                    progress.expect(
                        workloads[place].cells.map {
                            workloads[place].step(of: $0, repetition: number)
                        })
                }
                try measure(rounds[number], of: place)
                guard !Interruption.isRequested else { return }
                roundSeconds[place] = elapsedSeconds - roundStart
            }
            guard !isOver else { return }
        }
    }

    private mutating func measure(
        _ round: InterleavedSchedule<Int>.Round, of place: Int
    ) throws {
        for (position, index) in round.order.enumerated() {
            try perform(place, index, (round.repetition, position))
        }
    }

    private mutating func sample(
        _ cell: Cell, of workload: Workload, _ turn: (repetition: Int, position: Int)
    ) throws -> WorkerProcess.Ending {
        let capacity: LoadPlan.Capacity?
        let finding = try capacities.find(for: cell, of: workload) {
            try record(.foundCapacity($0))
        }
        switch finding {
        case .capacity(let found): capacity = found
        case .failure(let reason): return .failure(reason)
        case .interrupted: return .interrupted
        }
        let canarySeconds = canary.read()
        let seed = run.seed &+ UInt64(turn.repetition)
        return try preparation.withJob(for: cell, of: workload, seed: seed) { result in
            guard case .job(var job) = result else { return result.ending }
            job.load?.capacity = capacity
            var launch = WorkerProcess.Launch()
            var random = SeededGenerator(seed: seed ^ cell.fingerprint)
            launch.pad(&random)
            let startedAtSeconds = elapsedSeconds
            let ending = try WorkerProcess.run(job, launch, timeout: options.timeout)
            guard case .outcome(var outcome) = ending else { return ending }
            outcome.sample.repetition = turn.repetition
            outcome.sample.positionInRound = turn.position
            outcome.sample.startedAtSeconds = startedAtSeconds
            outcome.sample[.canary] = canarySeconds
            return .outcome(outcome)
        }
    }

    /// Since the run began, as if it had never been killed.
    private var elapsedSeconds: Double { secondsBefore + watch.elapsedSeconds }

    // MARK: Steps

    /// Does a step that was not done before, and writes down what it found. A cell that failed
    /// once has no result to add to.
    ///
    /// - Parameter turn: nil for counting.
    private mutating func perform(
        _ place: Int, _ index: Int, _ turn: (repetition: Int, position: Int)? = nil
    ) throws {
        guard !Interruption.isRequested else { return }
        let workload = workloads[place]
        let cell = workload.cells[index]
        let result = run.workloads[place].cells[index]
        let step = Step(
            workload: workload.name, cell: result.identifier, repetition: turn?.repetition)
        progress.begin(workload.step(of: cell, repetition: turn?.repetition))
        defer { progress.end() }
        guard result.isSound, done.insert(step).inserted else { return }
        let ending =
            try turn.map { try sample(cell, of: workload, $0) }
            ?? count(PairedArm(workload: workload, cell: cell))
        guard let outcome = outcome(of: ending, step) else { return }
        try record(
            .measured(
                RunEntry.Measurement(
                    workload: step.workload, cell: step.cell, repetition: step.repetition,
                    outcome: outcome)))
    }

    /// Nil when the user has asked to stop.
    private func outcome(of ending: WorkerProcess.Ending, _ step: Step) -> RunEntry.Outcome? {
        switch ending {
        case .interrupted: return nil
        case .failure(let reason):
            progress.note("\(step.workload) \(step.cell) failed: \(reason)")
            return .failure(reason)
        case .outcome(let outcome):
            if case .failed(let reason) = outcome.verification {
                progress.note("\(step.workload) \(step.cell) is wrong: \(reason)")
            }
            return .sample(outcome.sample, outcome.verification)
        }
    }
}

extension RunEntry {
    fileprivate var measurement: Measurement? {
        if case .measured(let measurement) = self { measurement } else { nil }
    }

    fileprivate var capacity: LoadCapacity? {
        if case .foundCapacity(let capacity) = self { capacity } else { nil }
    }
}

extension RunEntry.Measurement {
    fileprivate var sample: Sample? {
        if case .sample(let sample, _) = outcome { sample } else { nil }
    }
}
