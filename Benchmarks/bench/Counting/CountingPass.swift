import Benchmarking
import Foundation

/// A process of its own that counts what the work of a cell does, with every probe on and no
/// stopwatch: statements, pages, syncs, allocations and the like, of one operation.
enum CountingPass {
    private static let operationCount = 5

    /// Every run counts with the same one, for the seed decides which rows are read.
    static let seed: UInt64 = 1

    /// Counts for one arm. The counts lie in the sample's metrics by ``Metric/name``; which of
    /// them repeat from run to run, ``Metric/repeatability`` tells.
    ///
    /// Work that can be repeated is done once to warm up and five times to count. Counts are the
    /// mean, since a checkpoint may come at every other operation; allocations the least, since
    /// pools grow now and then. Source: measuring §3.
    ///
    /// - Throws: what ``WorkerProcess/receive()`` throws; when no process can be started or the disk cannot be written.
    static func run(
        _ arm: PairedArm, seed: UInt64, preparation: Preparation
    ) throws -> WorkloadOutcome {
        try preparation.withJob(
            for: arm.cell, of: arm.workload, seed: seed, executable: arm.executable
        ) { job in
            var job = job
            job.takesTurns = true
            job.isCounting = true
            job.injections = arm.injections
            // Hashes decide how often tables grow.
            let environment = Allocator.countingSettings.merging(
                ["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
            let worker = try WorkerProcess(
                job,
                WorkerProcess.Launch(executable: arm.executable, environment: environment),
                timeout: preparation.timeout)
            var (turns, outcome) = try worker.takeTurns(operationCount, warmingUp: true)
            let peakMemory = outcome.sample[.peakMemory]
            outcome.sample = Sample(repetition: 0, positionInRound: 0, startedAtSeconds: 0)
            outcome.sample[.peakMemory] = peakMemory
            for name in Set(turns.flatMap { $0.keys }) {
                let values = turns.map { Double($0[name, default: 0]) }
                outcome.sample.metrics[name] =
                    name == Metric.allocations.name
                    ? values.min() : values.reduce(0, +) / Double(values.count)
            }
            return outcome
        }
    }
}

extension WorkerProcess {
    /// Lets the worker do one operation a turn, and gives the counts of each turn.
    ///
    /// - Parameter warmingUp: whether a first turn is not counted, if it is not the only one.
    /// - Throws: what ``receive()`` throws.
    func takeTurns(
        _ count: Int, warmingUp: Bool
    ) throws -> (counts: [[String: Int64]], outcome: WorkloadOutcome) {
        guard case .ready = try receive() else { return ([], try finish()) }
        var counts: [[String: Int64]] = []
        for number in 0..<count + (warmingUp ? 1 : 0) {
            send(.work(operationCount: 1))
            guard case .turn(let turn) = try receive() else { return ([], try finish()) }
            if number > 0 || !warmingUp || turn.isLast { counts.append(turn.counts ?? [:]) }
            if turn.isLast { return (counts, try finish()) }
        }
        send(.finish)
        return (counts, try finish())
    }
}
