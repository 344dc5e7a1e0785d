import Benchmarking
import Foundation

/// Two arms whose workers are alive at once and take turns: base and head of a comparison.
///
/// Each ``pair(block:)`` starts two fresh processes with fresh copies of the store, lets them do
/// the same number of operations in turn, round by round in random order, on one core that both
/// share and leave together half-way, and ends them. What a pair gives is one independent
/// observation; its rounds are not. Source: instrument §2.4, items 2 to 4.
struct PairedRun {
    let base: PairedArm
    let head: PairedArm
    let settings: PairedSettings

    /// - Parameter seed: of every random choice: who starts, who goes first, which core, padding.
    /// - Parameter preparation: where stores and the data set come from; one for all cells.
    init(
        base: PairedArm, head: PairedArm, settings: PairedSettings = PairedSettings(),
        seed: UInt64, preparation: Preparation
    ) {
        self.base = base
        self.head = head
        self.settings = settings
    }

    /// Runs one pair. A worker that crashes, hangs or answers wrongly ends the pair, not the run.
    ///
    /// - Parameter block: the number under which the pair is known; with the seed it decides every
    ///   random choice.
    /// - Throws: when no process can be started or the disk cannot be written.
    func pair(block: Int) throws -> PairEnding {
        .interrupted
    }
}

/// How a pair is measured.
struct PairedSettings: Sendable {
    /// Rounds of a pair; fewer where one operation takes long, and one where the work cannot be
    /// repeated in one store.
    var roundCount = 20
    /// Whether both arms are kept on one core; not for work of several threads.
    var isPinned = true
}

/// What became of a pair.
enum PairEnding: Sendable {
    case rounds(PairRounds)
    /// A worker threw, crashed or hung, or its answer was wrong.
    case unsound(Unsound)
    /// The user asked to stop.
    case interrupted

    struct Unsound: Error, Sendable {
        var isHead: Bool
        var isWrongAnswer: Bool
        var reason: String
    }
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
