import Foundation
import Measuring
import RunRecords

/// Counts the work of one operation of a cell in a separate process, with all probes on and without
/// times: statements, pages, syncs, allocations and others.
enum CountingPass {
    private static let operationCount = 5

    /// All runs count with the same seed, because it decides which rows are read.
    static let seed: UInt64 = 1

    /// Counts for one arm. The counts are in the sample's metrics by ``Metric/name``;
    /// ``Metric/repeatability`` says which of them repeat from run to run.
    ///
    /// Work that can be repeated runs once to warm up and five times to count. A count is the mean,
    /// since a checkpoint may come at every other operation. Allocations are the minimum, since
    /// pools grow now and then. Source: measuring §3.
    ///
    /// - Throws: the errors of ``WorkerProcess/receive()``, of starting a process and of writing to
    ///   the disk.
    static func run(
        _ arm: PairedArm, seed: UInt64, preparation: Preparation
    ) throws -> WorkloadOutcome {
        try preparation.withJob(for: arm, seed: seed) { job in
            job.takesTurns = true
            job.isCounting = true
            // Hash values decide how often hash tables grow.
            let environment = Allocator.countingSettings.merging(
                ["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
            let worker = try WorkerProcess(
                job,
                WorkerProcess.Launch(executable: arm.executable, environment: environment),
                timeout: preparation.timeout)
            var (turns, outcome) = try worker.takeTurns(operationCount, warmingUp: true)
            let peakMemory = outcome.sample[.peakMemory]
            outcome.sample = Sample()
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
    /// Lets the worker do one operation per turn and returns the counts of each turn.
    ///
    /// - Parameter warmingUp: whether the first turn is not counted, unless it is the only one.
    /// - Throws: the errors of ``receive()``.
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
