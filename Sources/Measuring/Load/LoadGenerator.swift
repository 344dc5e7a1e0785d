import Foundation
import Synchronization

/// Puts a load on a subject: several clients at once, one phase after the other.
public struct LoadGenerator {
    /// A client and how often it takes each operation of the mix.
    public struct Participant: Sendable {
        public var client: any LoadClient
        /// By the index of the operation; 0 if the client never performs it.
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

    /// - Parameter capacities: operations a second of each participant. Open phases take their
    ///   shares of these, so that several subjects get the same load. `nil` for the rates of the
    ///   last closed phase.
    /// - Precondition: there is a participant; all have the same number of weights, one of them
    ///   above 0.
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

    /// Runs a phase to its end. Operations that are due in a phase are done or given up in it, so
    /// that no phase begins with the queue of the one before.
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

    /// Gives all threads time to start before a phase whose times are fixed.
    private func startDelayNanoseconds(of phase: LoadPhase) -> UInt64 {
        if case (.closed, .operations) = (phase.mode, phase.extent) { return 0 }
        return lanes.count == 1 ? 0 : 5_000_000
    }

    /// The rate of each client in an open phase. It does not depend on the subject's speed, except
    /// for a share without given capacities.
    private func clientRates(of phase: LoadPhase) throws -> [Double] {
        guard case .open(let rate, _) = phase.mode else { return [] }
        switch rate {
        case .perSecond(let count):
            return lanes.map { _ in count / Double(lanes.count) }
        case .shareOfCapacity(let share):
            guard let capacities = givenCapacities ?? foundCapacities,
                capacities.contains(where: { $0 > 0 })
            else { throw LoadError.noCapacity }
            // A rate must be above 0, so a client that did nothing before gets almost nothing.
            return capacities.map { max($0 * share, 1e-3) }
        }
    }

    /// Runs each lane on a thread of its own and waits for all; a single lane runs on this thread.
    ///
    /// On return, no thread holds a client any more, even if it has not ended yet. The owner of the
    /// clients may then close what they hold open.
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
            // The size of the main thread's stack on Linux.
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

/// Why a load cannot go on.
public enum LoadError: Error, Equatable, CustomStringConvertible {
    /// A phase offers a share of the capacity before a closed phase has measured it.
    case noCapacity

    public var description: String {
        switch self {
        case .noCapacity:
            "a rate in percent needs an earlier closed phase with at least one operation"
        }
    }
}
