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
    /// pools grow now and then. Source: instrument §6.4.
    ///
    /// - Throws: when no process can be started or the disk cannot be written.
    static func run(
        _ arm: PairedArm, seed: UInt64, preparation: Preparation
    ) throws -> WorkerProcess.Ending {
        try preparation.withJob(
            for: arm.cell, of: arm.workload, seed: seed, executable: arm.executable
        ) { result in
            guard case .job(var job) = result else { return result.ending }
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
            let (turns, ending) = worker.takeTurns(operationCount, warmingUp: true)
            guard case .outcome(var outcome) = ending else { return ending }
            let peakMemory = outcome.sample[.peakMemory]
            outcome.sample = Sample(repetition: 0, positionInRound: 0, startedAtSeconds: 0)
            outcome.sample[.peakMemory] = peakMemory
            for name in Set(turns.flatMap { $0.keys }) {
                let values = turns.map { Double($0[name, default: 0]) }
                outcome.sample.metrics[name] =
                    name == Metric.allocations.name
                    ? values.min() : values.reduce(0, +) / Double(values.count)
            }
            return .outcome(outcome)
        }
    }
}

extension Preparation.Result {
    /// Of a job that could not be prepared.
    var ending: WorkerProcess.Ending {
        guard case .ending(let ending) = self else { preconditionFailure("There is a job.") }
        return ending
    }
}

extension WorkerProcess {
    /// Lets the worker do one operation a turn, and gives the counts of each turn.
    ///
    /// - Parameter warmingUp: whether a first turn is not counted, if it is not the only one.
    func takeTurns(
        _ count: Int, warmingUp: Bool
    ) -> (counts: [[String: Int64]], ending: Ending) {
        guard case .ready = receive() else { return ([], finish()) }
        var counts: [[String: Int64]] = []
        for number in 0..<count + (warmingUp ? 1 : 0) {
            send(.work(operationCount: 1))
            guard case .turn(let turn) = receive() else { return ([], finish()) }
            if number > 0 || !warmingUp || turn.isLast { counts.append(turn.counts ?? [:]) }
            if turn.isLast { return (counts, finish()) }
        }
        send(.finish)
        return (counts, finish())
    }
}
