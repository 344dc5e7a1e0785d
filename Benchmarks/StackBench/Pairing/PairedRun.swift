import Foundation
import Measuring
import RunRecords

/// Runs the base and the head of a comparison, whose workers live at the same time and take turns.
///
/// Each ``pair(block:)`` starts two new processes with fresh copies of the store. They do the same
/// number of operations in turn, in a random order in each round. Both share one core and move to
/// another together. One pair is one independent observation; its rounds are not independent.
/// Source: measuring §7, steps 2 to 4.
struct PairedRun {
    let base: PairedArm
    let head: PairedArm
    let settings: PairedSettings
    private let seed: UInt64
    private let preparation: Preparation

    /// - Parameter seed: decides all random choices: the order of starts and turns, cores and
    ///   padding.
    /// - Parameter preparation: provides stores and the data set; shared by all cells.
    init(
        base: PairedArm, head: PairedArm, settings: PairedSettings, seed: UInt64,
        preparation: Preparation
    ) {
        self.base = base
        self.head = head
        self.settings = settings
        // The cells of one block need different random choices.
        self.seed = seed ^ base.cell.fingerprint
        self.preparation = preparation
    }

    /// Runs one pair. A worker that crashes, hangs or answers wrongly ends the pair, not the run.
    ///
    /// - Parameter block: the number of the pair. Together with the seed it decides all random
    ///   choices.
    /// - Throws: ``ArmFailure``, ``Interrupted``, and the errors of starting a process or writing
    ///   to the disk.
    func pair(block: Int) throws -> PairRounds {
        let jobSeed = seed &+ UInt64(truncatingIfNeeded: block)
        // The generator mixes its seed well, so that neighbouring seeds are unrelated.
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

    /// Runs one arm after the other, in random order, each through its whole workload. For metrics
    /// that turns cannot measure, such as the latencies of an open phase.
    ///
    /// - Parameter capacity: the capacity that open phases take shares of, the same for both arms.
    /// - Throws: the errors of ``pair(block:)``.
    func inSuccession(block: Int, capacity: LoadPlan.Capacity?) throws -> PairOfSamples {
        let jobSeed = seed &+ UInt64(truncatingIfNeeded: block)
        var random = SeededGenerator(seed: jobSeed)
        let isHeadFirst = Bool.random(using: &random)
        var samples: [Bool: Sample] = [:]
        for isHead in [isHeadFirst, !isHeadFirst] {
            let arm = isHead ? head : base
            samples[isHead] = try ArmFailure.naming(isHead: isHead) {
                try preparation.withJob(for: arm, seed: jobSeed) { job in
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
            try preparation.withJob(for: arm, seed: seed) { job in
                job.takesTurns = true
                return try body(job)
            }
        }
    }
}

/// A worker's failure, which ends its pair but not the run.
struct ArmFailure: Error {
    var isHead: Bool
    var failure: WorkerFailure

    /// Runs `body` for one arm and marks a failure with that arm.
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
    /// The rounds of a pair. Slow operations get fewer; work that cannot be repeated in one store
    /// gets one.
    var roundCount = 20
    /// Whether both arms share one core; false for work of several threads.
    var isPinned = true
    /// The intended time of a turn: short enough to be seldom disturbed, and long compared with the
    /// cost of a turn. Source: measuring §7, step 3.
    var turnSeconds = 0.007
    /// The time limit of a pair. It reduces the number of rounds, to ``fewestRounds`` at least.
    var longestSeconds = 2.0

    static let fewestRounds = 3
}

extension PairedSettings {
    /// The settings for a workload. Noisy work gets more rounds: contended work and work that waits
    /// for the disk at each commit. Source: measuring §8.
    init(for workload: Workload) {
        let isContended = workload.kind.isContended
        let waitsForDisk = ["full", "extra"].contains(workload.synchronous)
        self.init(roundCount: isContended || waitsForDisk ? 60 : 20, isPinned: !isContended)
    }
}

/// The samples of two processes that ran one after the other.
struct PairOfSamples: Sendable {
    var isHeadFirst: Bool
    var base: Sample
    var head: Sample
}

/// The rounds of one pair of processes.
struct PairRounds: Codable, Sendable {
    var block: Int
    /// Whether the process of the head started first.
    var isHeadFirst: Bool
    /// The operations per turn, the same for both arms.
    var operationCount: Int
    var rounds: [Round]
    /// Latencies, memory and counters from each workload's function, over the life of the process.
    var baseSample: Sample
    var headSample: Sample

    /// One turn of each arm. Seconds are per operation.
    struct Round: Codable, Sendable {
        var isHeadFirst: Bool
        var baseSeconds: Double
        var headSeconds: Double
        var baseCPUSeconds: Double
        var headCPUSeconds: Double
    }
}
