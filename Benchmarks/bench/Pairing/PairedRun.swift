import Benchmarking
import Foundation

/// Two arms whose workers are alive at once and take turns: base and head of a comparison.
///
/// Each ``pair(block:)`` starts two fresh processes with fresh copies of the store, lets them do
/// the same number of operations in turn, round by round in random order, on one core that both
/// share and leave together, and ends them. What a pair gives is one independent observation; its
/// rounds are not. Source: instrument §2.4, items 2 to 4.
struct PairedRun {
    let base: PairedArm
    let head: PairedArm
    let settings: PairedSettings
    private let seed: UInt64
    private let preparation: Preparation

    /// - Parameter seed: of every random choice: who starts, who goes first, which core, padding.
    /// - Parameter preparation: where stores and the data set come from; one for all cells.
    init(
        base: PairedArm, head: PairedArm, settings: PairedSettings, seed: UInt64,
        preparation: Preparation
    ) {
        self.base = base
        self.head = head
        self.settings = settings
        // Cells of one block must not all choose alike.
        self.seed = seed ^ base.cell.fingerprint
        self.preparation = preparation
    }

    /// Runs one pair. A worker that crashes, hangs or answers wrongly ends the pair, not the run.
    ///
    /// - Parameter block: the number under which the pair is known; with the seed it decides every
    ///   random choice.
    /// - Throws: ``ArmFailure``, ``Interrupted``; and when no process can be started or the disk cannot be written.
    func pair(block: Int) throws -> PairRounds {
        let jobSeed = seed &+ UInt64(truncatingIfNeeded: block)
        // The generator mixes its seed well, so that neighbours have nothing in common.
        var random = SeededGenerator(seed: jobSeed)
        return try withJob(base, isHead: false, seed: jobSeed) { baseJob in
            try withJob(head, isHead: true, seed: jobSeed) { headJob in
                var session = try PairSession(
                    base: (baseJob, base.executable), head: (headJob, head.executable),
                    settings: settings, timeout: preparation.timeout, random: &random)
                return try session.run(block: block, random: &random)
            }
        }
    }

    /// Runs one pair that takes no turns: one arm after the other, in random order, each through the
    /// whole of its workload. For what turns cannot tell, such as the latencies of an open phase.
    ///
    /// - Parameter capacity: of which open phases take their share, the same for both arms.
    /// - Throws: as ``pair(block:)``.
    func inSuccession(block: Int, capacity: LoadPlan.Capacity?) throws -> PairOfSamples {
        let jobSeed = seed &+ UInt64(truncatingIfNeeded: block)
        var random = SeededGenerator(seed: jobSeed)
        let isHeadFirst = Bool.random(using: &random)
        var samples: [Bool: Sample] = [:]
        for isHead in [isHeadFirst, !isHeadFirst] {
            let arm = isHead ? head : base
            samples[isHead] = try ArmFailure.naming(isHead: isHead) {
                try preparation.withJob(
                    for: arm.cell, of: arm.workload, seed: jobSeed, executable: arm.executable
                ) { job in
                    var job = job
                    job.injections = arm.injections
                    job.load?.capacity = capacity
                    var launch = WorkerProcess.Launch(executable: arm.executable)
                    launch.pad(&random)
                    return try WorkerProcess.run(job, launch, timeout: preparation.timeout)
                        .verifiedSample
                }
            }
        }
        return PairOfSamples(
            isHeadFirst: isHeadFirst, base: samples[false]!, head: samples[true]!)
    }

    private func withJob<Value>(
        _ arm: PairedArm, isHead: Bool, seed: UInt64, _ body: (WorkerJob) throws -> Value
    ) throws -> Value {
        try ArmFailure.naming(isHead: isHead) {
            try preparation.withJob(
                for: arm.cell, of: arm.workload, seed: seed, executable: arm.executable
            ) { job in
                var job = job
                job.takesTurns = true
                job.injections = arm.injections
                return try body(job)
            }
        }
    }
}

/// A worker's failure ends its pair, not the run.
struct ArmFailure: Error {
    var isHead: Bool
    var failure: WorkerFailure

    /// Runs what one arm does, and says of a failure which arm's it is.
    static func naming<Value>(isHead: Bool, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as WorkerFailure {
            throw ArmFailure(isHead: isHead, failure: failure)
        }
    }
}

/// How a pair is measured.
struct PairedSettings: Sendable {
    /// Rounds of a pair; fewer where one operation takes long, and one where the work cannot be
    /// repeated in one store.
    var roundCount = 20
    /// Whether both arms are kept on one core; not for work of several threads.
    var isPinned = true
    /// A turn is made of as many operations as take about so long: seldom disturbed, and long
    /// beside what a turn costs. Source: instrument §2.4, item 3.
    var turnSeconds = 0.007
    /// A pair is given fewer rounds rather than more time, down to ``fewestRounds``.
    var longestSeconds = 2.0

    static let fewestRounds = 3
}

extension PairedSettings {
    /// What suits a workload: noisy ones, those that contend and those that wait for the disk at
    /// every commit, get more rounds. Source: instrument §2.5.
    init(for workload: Workload) {
        let isContended = workload.kind.isContended
        let waitsForDisk = ["full", "extra"].contains(workload.synchronous)
        self.init(roundCount: isContended || waitsForDisk ? 60 : 20, isPinned: !isContended)
    }
}

/// What two processes that ran one after the other measured.
struct PairOfSamples: Sendable {
    var isHeadFirst: Bool
    var base: Sample
    var head: Sample
}

/// The rounds of one pair of processes.
struct PairRounds: Codable, Sendable {
    var block: Int
    /// Whether the head's process was started first.
    var isHeadFirst: Bool
    /// Operations in each turn, the same for both arms.
    var operationCount: Int
    var rounds: [Round]
    /// What the workload's function measured itself, of the whole life of each process: latencies,
    /// memory and counters.
    var baseSample: Sample
    var headSample: Sample

    /// A turn of each arm. Seconds are those of one operation.
    struct Round: Codable, Sendable {
        var isHeadFirst: Bool
        var baseSeconds: Double
        var headSeconds: Double
        var baseCPUSeconds: Double
        var headCPUSeconds: Double
    }
}
