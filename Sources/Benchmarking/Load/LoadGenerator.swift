import Foundation
import Synchronization

/// Puts a load on a subject: several clients at once, phase after phase.
public struct LoadGenerator {
    /// A client and how often it takes each operation of the mix.
    public struct Participant: Sendable {
        public var client: any LoadClient
        /// By the index of the operation; 0 for what it never does.
        public var weights: [Double]

        public init(_ client: any LoadClient, weights: [Double]) {
            self.client = client
            self.weights = weights
        }
    }

    private let clock: any LoadClock
    private let givenCapacities: [Double]?
    private var lanes: [LoadLane]
    private var random: SeededGenerator
    /// Operations a second of each client in the last closed phase.
    private var foundCapacities: [Double]?

    /// - Parameter capacities: operations a second of each participant, of which shares are taken, so
    ///   that several subjects are offered the same; nil for those of the last closed phase.
    /// - Precondition: there is a participant; all have as many weights, one of them above 0.
    public init(
        _ participants: [Participant], seed: UInt64, clock: any LoadClock = MonotonicClock(),
        capacities: [Double]? = nil
    ) {
        precondition(
            capacities.map { $0.count == participants.count } ?? true,
            "a capacity for each participant")
        var random = SeededGenerator(seed: seed)
        let operationCount = participants[0].weights.count
        lanes = participants.map { participant in
            precondition(participant.weights.count == operationCount, "weights of different mixes")
            return LoadLane(
                client: participant.client, operations: AliasTable(weights: participant.weights),
                operationCount: operationCount, clock: clock,
                random: SeededGenerator(seed: random.next()))
        }
        self.clock = clock
        givenCapacities = capacities
        self.random = random
    }

    /// Runs a phase to its end. What is due in a phase is done in it, so that none begins with the
    /// queue of the one before.
    ///
    /// - Throws: the first error of a client; ``LoadError/noCapacity`` for a share without a closed
    ///   phase before it.
    public mutating func run(_ phase: LoadPhase) throws -> LoadPhaseResult {
        let rates = try clientRates(of: phase)
        let seeds = lanes.map { _ in random.next() }
        let start = clock.nanoseconds() + startDelayNanoseconds(of: phase)
        let records = try inParallel { lane, index in
            switch phase.mode {
            case .closed: return try lane.runClosed(phase.extent, from: start)
            case .open(_, let process):
                let arrivals = ArrivalSchedule(
                    process, perSecond: rates[index], startNanoseconds: start, seed: seeds[index])
                return try lane.runOpen(phase.extent, from: start, arrivals)
            }
        }
        if phase.mode == .closed { foundCapacities = records.map(\.servedPerSecond) }
        return LoadPhaseResult(phase, records)
    }

    /// So that all threads are there when a phase begins that has a fixed time.
    private func startDelayNanoseconds(of phase: LoadPhase) -> UInt64 {
        if case (.closed, .operations) = (phase.mode, phase.extent) { return 0 }
        return lanes.count == 1 ? 0 : 5_000_000
    }

    /// The rate of each client in an open phase: none depends on how fast the subject is, except that of
    /// a share where no capacities were given.
    private func clientRates(of phase: LoadPhase) throws -> [Double] {
        guard case .open(let rate, _) = phase.mode else { return [] }
        switch rate {
        case .perSecond(let count):
            return lanes.map { _ in count / Double(lanes.count) }
        case .shareOfCapacity(let share):
            guard let capacities = givenCapacities ?? foundCapacities,
                capacities.contains(where: { $0 > 0 })
            else { throw LoadError.noCapacity }
            // A client that did nothing before gets next to nothing, not nothing: a rate is above 0.
            return capacities.map { max($0 * share, 1e-3) }
        }
    }

    /// Runs every lane on a thread of its own and waits for all; a single one on this thread.
    ///
    /// When it returns, no thread holds a client any more, though it may not have ended yet: what
    /// clients hold open, whoever made them may close.
    private mutating func inParallel(
        _ work: @escaping @Sendable (inout LoadLane, Int) throws -> LoadRecord
    ) throws -> [LoadRecord] {
        if lanes.count == 1 { return [try work(&lanes[0], 0)] }
        let begun = Mutex(lanes.map(Optional.init))
        let ended = Mutex<[Int: (lane: LoadLane, record: Result<LoadRecord, any Error>)]>([:])
        let group = DispatchGroup()
        for index in lanes.indices {
            group.enter()
            let thread = Thread {
                do {
                    var lane = begun.withLock { $0[index].take()! }
                    let record = Result { try work(&lane, index) }
                    let result = (lane: lane, record: record)
                    ended.withLock { $0[index] = result }
                }
                group.leave()
            }
            // The main thread's own size on Linux.
            thread.stackSize = 8 << 20
            thread.start()
        }
        group.wait()
        let results = ended.withLock { results in
            defer { results = [:] }
            return results
        }
        lanes = lanes.indices.map { results[$0]!.lane }
        return try lanes.indices.map { try results[$0]!.record.get() }
    }
}

/// Why a load could not go on.
public enum LoadError: Error, Equatable, CustomStringConvertible {
    /// A share of the capacity was asked for before a closed phase had measured it.
    case noCapacity

    public var description: String {
        switch self {
        case .noCapacity:
            "a share of the capacity needs a closed phase before it in which something was done"
        }
    }
}
