import Foundation
import Measuring
import Reports
import RunRecords

/// The options of a run.
struct RunOptions: Sendable {
    /// The time after which an unfinished worker is killed.
    var timeout = Duration.seconds(600)
    var length = RunLength.asPlanned
    /// Whether to count the work of all cells first, instead of only those that questions about
    /// counts compare.
    var countsAll = true
    /// Whether to count instructions too.
    var countsInstructions = false
}

/// How many rounds a run takes.
enum RunLength: Sendable, Equatable {
    /// The number in each workload.
    case asPlanned
    /// As many as the questions need, within the time; without questions, as many as fit.
    case within(seconds: Double)
    /// As many as the questions need, without a time limit.
    case untilDecided

    var seconds: Double? {
        if case .within(let seconds) = self { seconds } else { nil }
    }
}

/// Runs workloads: each sample in a separate process, round by round. A round takes a sample of
/// each cell of a ``Block``, in random order.
///
/// The journal gets a line after each sample, so that a killed run loses at most one and can be
/// resumed.
struct Runner {
    private var workloads: [Workload]
    private let part: Selection.Part?
    private let directory: RunDirectory
    private let options: RunOptions
    private let preparation: Preparation
    private let capacities: ReferenceCapacity
    private let progress: ProgressReporter
    private let clock: Clock
    private var canary = NoiseCanary()
    private var run: Run
    /// The entries of the journal when this process started.
    private let earlier: [RunEntry]
    private var done: Set<Step>
    /// The rest of the budget after the last round of a question; nil without a budget.
    private var secondsLeft: Double?

    /// The time of the run, with what it took before it was resumed.
    private struct Clock {
        let secondsBefore: Double
        private let watch = Stopwatch()

        init(secondsBefore: Double) { self.secondsBefore = secondsBefore }

        var elapsedSeconds: Double { secondsBefore + watch.elapsedSeconds }
    }

    /// A sample of a cell; its counts if the repetition is nil.
    private struct Step: Hashable {
        var workload: String
        var cell: String
        var repetition: Int?
    }

    /// - Parameter run: the run, without workloads.
    /// - Parameter earlier: the entries of the journal if the run is resumed.
    /// - Throws: if the disk cannot be written.
    init(
        _ selection: Selection, run: Run, into directory: RunDirectory, options: RunOptions,
        earlier: [RunEntry] = []
    ) throws {
        workloads = selection.workloads
        part = selection.part
        self.run = run
        self.run.dataFindings = selection.own?.findings
        self.run.claims = selection.claims
        self.directory = directory
        self.options = options
        self.earlier = earlier
        let measured = earlier.compactMap(\.measurement)
        done = Set(
            measured.map { Step(workload: $0.workload, cell: $0.cell, repetition: $0.repetition) })
        clock = Clock(secondsBefore: earlier.secondsTaken)
        progress = ProgressReporter(plan: [])
        // Beside the results, so that the disk is the same each time.
        preparation = try Preparation(
            folder: directory.url.appendingPathComponent("work"), timeout: options.timeout,
            own: selection.own)
        capacities = ReferenceCapacity(
            preparation, seed: run.seed, earlier: earlier.compactMap(\.capacity))
    }

    /// Runs everything, writes the reports and returns the finished run.
    ///
    /// - Throws: if the disk cannot be written, the data set is damaged, no process starts, or a
    ///   resumed run has other workloads.
    mutating func execute() throws -> Run {
        defer { preparation.remove() }
        try begin()
        _ = canary.read()
        try countAll()
        try measureAll()
        try traceAll()
        progress.finish()
        try record(.ended(Interruption.isRequested ? .interrupted : .completed, at: Date()))
        let finished = try directory.load()
        try directory.write(finished)
        try directory.writeReports(of: finished)
        return finished
    }

    private mutating func begin() throws {
        let count = workloads.count
        progress.note("preparing \(count) \(count == 1 ? "workload" : "workloads")")
        try fitSamples()
        run.workloads = try results(of: workloads)
        run.shard = try part.map { part in
            Shard(
                number: part.number.number, count: part.number.count, cells: part.cells,
                plan: try results(of: part.whole))
        }
        run.dataset = preparation.dataset
        guard case .began(let beginning) = earlier.first else {
            return try record(.began(run))
        }
        guard beginning.workloads == run.workloads, beginning.shard == run.shard,
            beginning.dataset == run.dataset
        else {
            throw BenchFailure(
                exitCode: .usage,
                message: "a workload file or the data set has changed since "
                    + "\(directory.url.relativePath) was started; start a new run")
        }
        try directory.journal.repair()
        for entry in earlier.dropFirst() { run.apply(entry) }
        try record(.resumed(at: Date()))
    }

    /// Reduces the data of workloads whose samples should last a certain time, to what a sample on
    /// this machine shows. A resumed run keeps what it began with; shards keep the written size,
    /// since all have to measure the same.
    private mutating func fitSamples() throws {
        for (place, workload) in workloads.enumerated() {
            guard let fit = workload.fit, part == nil,
                let cell = workload.cells.first(where: { $0.subject.name == fit.subject.name }),
                let count = try preparation.selection(for: workload)?.facts.flightCount
            else { continue }
            if case .began(let beginning) = earlier.first {
                let begun = beginning.workloads.first { $0.name == workload.name }
                workloads[place].flightCount = begun?.parameters["flights"].flatMap { Int($0) }
                continue
            }
            do {
                let outcome = try sample(cell, of: workload, (repetition: 0, position: 0))
                guard let seconds = outcome.sample[.time] else { continue }
                workloads[place] = workload.fitted(fit, count: count, seconds: seconds)
            } catch is WorkerFailure {
                // The samples will fail in the same way, and the report says how.
                continue
            }
        }
    }

    /// The workloads without samples.
    private func results(of workloads: [Workload]) throws -> [WorkloadResult] {
        try workloads.map {
            WorkloadResult($0, cells: $0.cells, data: try preparation.selection(for: $0))
        }
    }

    private mutating func record(_ entry: RunEntry) throws {
        try directory.journal.append(entry)
        run.apply(entry)
    }

    // MARK: Counting

    private mutating func countAll() throws {
        let counted = run.workloads.enumerated().flatMap { place, workload in
            let asked = Set(
                (workload.questions ?? []).filter(\.isExact).flatMap(\.contests).flatMap(\.cells))
            return workload.cells.indices.filter {
                options.countsAll || asked.contains(workload.cells[$0].identifier)
            }.map { (place: place, cell: $0) }
        }
        progress.expect(
            counted.map {
                workloads[$0.place].step(of: workloads[$0.place].cells[$0.cell], repetition: nil)
            })
        for step in counted { try perform(step.place, step.cell) }
    }

    private func count(_ arm: PairedArm) throws -> WorkloadOutcome {
        var outcome = try CountingPass.run(arm, seed: CountingPass.seed, preparation: preparation)
        guard options.countsInstructions else { return outcome }
        outcome.sample[.instructions] = try InstructionPass.run(
            arm, seed: CountingPass.seed, preparation: preparation)
        if outcome.sample[.instructions] == nil {
            progress.note(
                "\(arm.workload.name): instructions not counted: the work cannot be repeated "
                    + "in one store, or its worker failed under valgrind")
        }
        return outcome
    }

    // MARK: Measuring

    private mutating func measureAll() throws {
        let blocks = run.workloads.enumerated().flatMap { Block.all(of: $1, at: $0) }
        switch options.length {
        case .asPlanned: try measureAsPlanned(blocks)
        case .within(let seconds): try measureUntilDecided(blocks, seconds: seconds)
        case .untilDecided: try measureUntilDecided(blocks, seconds: nil)
        }
    }

    private mutating func measureAsPlanned(_ blocks: [Block]) throws {
        progress.expect(workloads.flatMap(\.steps))
        for number in 0..<(workloads.map(\.repetitions).max() ?? 0) {
            for block in blocks where number < workloads[block.workload].repetitions {
                try measure(block.cells, of: block, round: number)
            }
        }
    }

    /// Gives rounds to the blocks whose questions they are likely to decide, until all are decided
    /// or the time is over.
    private mutating func measureUntilDecided(_ blocks: [Block], seconds: Double?) throws {
        let design = run.sequentialDesign
        var allocation = RoundAllocation(design, seed: run.seed)
        var decisions = DecisionCount()
        while !Interruption.isRequested {
            let open = blocks.map { run.workloads[$0.workload].openComparisons(in: $0, design) }
            let states = zip(blocks, open).map { block, comparisons in
                RoundAllocation.Block(
                    comparisons: comparisons, roundCount: nextRound(of: block),
                    seconds: secondsPerSample(in: block))
            }
            let chosen = allocation.next(states, secondsLeft: seconds.map { $0 - elapsedSeconds })
            guard !chosen.isEmpty else { break }
            decisions.update(run.questionResults)
            progress.tell(
                "comparisons: \(decisions.decidedCount) decided, \(decisions.openCount) open",
                secondsLeft: seconds.map { $0 - elapsedSeconds })
            for turn in chosen {
                guard elapsedSeconds < seconds ?? .infinity else { break }
                let block = blocks[turn.block]
                let cells = turn.cells.sorted()
                expect(cells, of: block)
                try measure(cells, of: block, round: nextRound(of: block))
            }
        }
        secondsLeft = seconds.map { $0 - elapsedSeconds }
        try measureUnasked(blocks, until: seconds)
    }

    /// Says of an executed run why it decided no more; nil if it was interrupted.
    ///
    /// - Parameter command: ``StopReport``.
    func stopReport(command: String?) -> StopReport? {
        guard run.state == .completed else { return nil }
        return options.length == .asPlanned
            ? StopReport(ofFixedRounds: run.questionResults, command: command)
            : StopReport(
                run.questionResults, run.sequentialDesign, secondsLeft: secondsLeft,
                command: command)
    }

    /// Measures cells that no question is about: one round, or as many as fit if the run has no
    /// questions.
    private mutating func measureUnasked(_ blocks: [Block], until seconds: Double?) throws {
        let isAsked = run.plannedWorkloads.contains { $0.questions?.isEmpty == false }
        let unasked = blocks.filter { block in
            let result = run.workloads[block.workload]
            return result.openComparisons(in: block, run.sequentialDesign).isEmpty
                && nextRound(of: block) == 0
        }
        for number in 0..<(isAsked || seconds == nil ? 1 : 1_000) {
            for block in unasked {
                guard number == 0 || elapsedSeconds < seconds ?? .infinity else { return }
                expect(block.cells, of: block)
                try measure(block.cells, of: block, round: number)
            }
            if Interruption.isRequested { return }
        }
    }

    private func expect(_ cells: [Int], of block: Block) {
        let workload = workloads[block.workload]
        progress.expect(
            cells.map {
                workload.step(of: workload.cells[$0], repetition: nextRound(of: block))
            })
    }

    /// The number of the block's next round.
    private func nextRound(of block: Block) -> Int {
        let cells = run.workloads[block.workload].cells
        return block.cells.compactMap { cells[$0].samples.last?.repetition }.max().map { $0 + 1 }
            ?? 0
    }

    /// The time of a sample of each cell that has one.
    private func secondsPerSample(in block: Block) -> [Int: Double] {
        let results = run.workloads[block.workload].cells
        return Dictionary(
            uniqueKeysWithValues: block.cells.compactMap { cell in
                Statistics.median(results[cell].values(of: Metric.sampleSeconds.name)).map {
                    (cell, $0)
                }
            })
    }

    private mutating func measure(_ cells: [Int], of block: Block, round number: Int) throws {
        var random = SeededGenerator(
            seed: run.seed &+ UInt64(number) << 20 &+ UInt64(block.workload) << 10
                &+ UInt64(block.cells[0]))
        for (position, index) in cells.shuffled(using: &random).enumerated() {
            try perform(block.workload, index, (number, position))
        }
    }

    private mutating func sample(
        _ cell: Cell, of workload: Workload, _ turn: (repetition: Int, position: Int)
    ) throws -> WorkloadOutcome {
        let capacity = try capacities.find(for: cell, of: workload) {
            try record(.foundCapacity($0))
        }
        let canarySeconds = canary.read()
        let seed = run.seed &+ UInt64(turn.repetition)
        let arm = PairedArm(workload: workload, cell: cell)
        return try preparation.withJob(for: arm, seed: seed) { job in
            job.load?.capacity = capacity
            var launch = WorkerProcess.Launch()
            var random = SeededGenerator(seed: seed ^ cell.fingerprint)
            launch.pad(&random)
            let startedAtSeconds = elapsedSeconds
            let watch = Stopwatch()
            var outcome = try WorkerProcess.run(job, launch, timeout: options.timeout)
            outcome.sample.repetition = turn.repetition
            outcome.sample.positionInRound = turn.position
            outcome.sample.startedAtSeconds = startedAtSeconds
            outcome.sample[.canary] = canarySeconds
            outcome.sample[.sampleSeconds] = watch.elapsedSeconds
            return outcome
        }
    }

    /// The time since the run began, including earlier processes of a resumed run.
    private var elapsedSeconds: Double { clock.elapsedSeconds }

    // MARK: Tracing

    /// The time for traced samples, beside that of the run: 20 s for the ten minutes of the shootout.
    private var tracingSeconds: Double { max(20, (options.length.seconds ?? 0) / 30) }

    /// Traces one sample of each stack whose main queue was measured. In a run about claims, one of
    /// each side of a comparison that explains a claim.
    private mutating func traceAll() throws {
        let watch = Stopwatch()
        let explained = run.claims.map { _ in
            Set(
                run.claimResults.compactMap(\.explainable).flatMap { answer in
                    answer.sides.map { "\(answer.ask.workload) \($0.cell.identifier)" }
                })
        }
        for (place, workload) in workloads.enumerated() where workload.smallName == nil {
            for (index, cell) in workload.cells.enumerated() {
                let result = run.workloads[place].cells[index]
                let name = "\(workload.name) \(result.identifier)"
                let isWanted =
                    explained?.contains(name) ?? workload.kind.latencies.contains("mainQueue")
                guard !Interruption.isRequested, watch.elapsedSeconds < tracingSeconds, isWanted,
                    result.isSound, result.trace == nil, result.role == .stack
                else { continue }
                progress.note("tracing \(name)")
                let arm = PairedArm(workload: workload, cell: cell)
                // The samples say what is wrong with a cell; a trace only explains.
                let outcome = try? TracePass.run(arm, preparation: preparation)
                if case .failed = outcome?.verification { continue }
                guard let trace = outcome?.trace else { continue }
                try record(.traced(workload: workload.name, cell: result.identifier, trace))
            }
        }
    }

    // MARK: Steps

    /// Does a step once and records its result. Skips cells that failed before.
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
        let found: RunEntry.Outcome
        do {
            let outcome =
                try turn.map { try sample(cell, of: workload, $0) }
                ?? count(PairedArm(workload: workload, cell: cell))
            found = .sample(outcome.sample, outcome.verification)
            if case .failed(let reason) = outcome.verification {
                progress.note("\(step.workload) \(step.cell) gave a wrong answer: \(reason)")
            }
        } catch let failure as WorkerFailure {
            found = .failure(failure.reason)
            progress.note("\(step.workload) \(step.cell) failed: \(failure.reason)")
        } catch is Interrupted {
            return
        }
        try record(
            .measured(
                RunEntry.Measurement(
                    workload: step.workload, cell: step.cell, repetition: step.repetition,
                    outcome: found)))
    }
}

extension RunEntry {
    var measurement: Measurement? {
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

extension [RunEntry] {
    /// The time from the start of a run to its last sample.
    var secondsTaken: Double {
        compactMap(\.measurement?.sample?.startedAtSeconds).max() ?? 0
    }
}
