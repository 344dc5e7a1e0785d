import Foundation
import Measuring
import RunRecords

/// Runs the two workers of one pair, from start to end.
struct PairSession {
    /// A worker is warm when three turns in a row differ by at most 5 %, or after half a second of
    /// work.
    private static let warmSpread = 1.05
    private static let longestWarmUpSeconds = 0.5
    /// How often the arms change the core, since the speed of cores differs for seconds at a time.
    private static let roundsPerCore = 4

    private let settings: PairedSettings
    private let isHeadFirst: Bool
    private var cores: [Int] = []
    /// The base, then the head.
    private let workers: [WorkerProcess]

    /// Starts both workers, in random order.
    init(
        base: (job: WorkerJob, executable: URL), head: (job: WorkerJob, executable: URL),
        settings: PairedSettings, timeout: Duration, random: inout SeededGenerator
    ) throws {
        self.settings = settings
        isHeadFirst = Bool.random(using: &random)
        if settings.isPinned { cores = ProcessorCore.available.shuffled(using: &random) }
        var workers: [WorkerProcess] = []
        for arm in isHeadFirst ? [head, base] : [base, head] {
            var launch = WorkerProcess.Launch(executable: arm.executable)
            launch.pad(&random)
            let worker = try WorkerProcess(arm.job, launch, timeout: timeout)
            // Immediately, while the worker has one thread: later threads stay on the same core.
            if let core = cores.first {
                ProcessorCore.move(process: worker.identifier, to: core)
            }
            workers.append(worker)
        }
        self.workers = isHeadFirst ? workers.reversed() : workers
    }

    /// Lets the arms take turns until the pair has its rounds, and verifies both answers.
    mutating func run(block: Int, random: inout SeededGenerator) throws -> PairRounds {
        for arm in workers.indices { try awaitReady(arm) }
        var rounds: [PairRounds.Round] = []
        var operationCount = 1
        let first = try round(of: 1, &random)
        if first.isLast {
            rounds = [first.round]
        } else {
            let turn = try warmUp()
            operationCount = turn.operationCount
            for number in 0..<roundCount(turnSeconds: turn.seconds) {
                if number % Self.roundsPerCore == 0 { changeCore(number / Self.roundsPerCore) }
                rounds.append(try round(of: operationCount, &random).round)
            }
            for worker in workers { worker.send(.finish) }
        }
        return PairRounds(
            block: block, isHeadFirst: isHeadFirst, operationCount: operationCount, rounds: rounds,
            baseSample: try finish(0), headSample: try finish(1))
    }

    private func roundCount(turnSeconds: Double) -> Int {
        let affordable = settings.longestSeconds / (2 * max(turnSeconds, 1e-6))
        let limit = max(Int(min(affordable, 1e6)), PairedSettings.fewestRounds)
        return min(settings.roundCount, limit)
    }

    private func changeCore(_ number: Int) {
        guard !cores.isEmpty else { return }
        for worker in workers {
            ProcessorCore.move(process: worker.identifier, to: cores[number % cores.count])
        }
    }

    // MARK: Turns

    private func round(
        of count: Int, _ random: inout SeededGenerator
    ) throws -> (round: PairRounds.Round, isLast: Bool) {
        let isHeadFirst = Bool.random(using: &random)
        let first = try turn(of: count, isHeadFirst ? 1 : 0)
        let second = try turn(of: count, isHeadFirst ? 0 : 1)
        let (base, head) = isHeadFirst ? (second, first) : (first, second)
        let round = PairRounds.Round(
            isHeadFirst: isHeadFirst, baseSeconds: base.secondsPerOperation,
            headSeconds: head.secondsPerOperation,
            baseCPUSeconds: base.cpuSeconds / Double(base.operationCount),
            headCPUSeconds: head.cpuSeconds / Double(head.operationCount))
        return (round, base.isLast)
    }

    /// Works until both arms are warm. Returns the number of operations per turn and the slower
    /// arm's time for a turn.
    private func warmUp() throws -> (operationCount: Int, seconds: Double) {
        // In the random order of the start: the first arm idles while the second warms up.
        let seconds = try (isHeadFirst ? [1, 0] : [0, 1]).map { arm in
            var turns: [Double] = []
            let watch = Stopwatch()
            var count = 1
            while watch.elapsedSeconds < Self.longestWarmUpSeconds {
                let turn = try turn(of: count, arm)
                turns.append(turn.secondsPerOperation)
                let last = turns.suffix(3)
                // In a very short turn the clock's own cost dominates.
                let isLong = turn.seconds >= settings.turnSeconds / 2 || turn.operationCount < count
                if isLong, last.count == 3, last.max()! <= last.min()! * Self.warmSpread { break }
                if !isLong { count *= 2 }
            }
            return turns.min() ?? settings.turnSeconds
        }
        let fastest = max(seconds.min() ?? settings.turnSeconds, 1e-9)
        let count = min(max(Int((settings.turnSeconds / fastest).rounded()), 1), 1_000_000)
        return (count, Double(count) * (seconds.max() ?? fastest))
    }

    private func turn(of count: Int, _ arm: Int) throws -> Turn {
        workers[arm].send(.work(operationCount: count))
        guard case .turn(let turn) = try message(of: arm) else {
            throw unsound(arm, Self.noTurns)
        }
        return turn
    }

    private func awaitReady(_ arm: Int) throws {
        guard case .ready = try message(of: arm) else {
            throw unsound(arm, Self.noTurns)
        }
    }

    private func finish(_ arm: Int) throws -> Sample {
        try ArmFailure.naming(isHead: arm == 1) { try workers[arm].finish().verifiedSample }
    }

    private func message(of arm: Int) throws -> WorkerProcess.Message {
        try ArmFailure.naming(isHead: arm == 1) {
            let message = try workers[arm].receive()
            // Report a wrong answer as such, not as one that came too early.
            if case .outcome(let outcome) = message { _ = try outcome.verifiedSample }
            return message
        }
    }

    private static let noTurns =
        "the worker takes no turns: its bench is too old, or the work cannot be repeated"

    private func unsound(_ arm: Int, _ reason: String) -> ArmFailure {
        ArmFailure(isHead: arm == 1, failure: WorkerFailure(reason: reason))
    }
}

extension Turn {
    fileprivate var secondsPerOperation: Double { seconds / Double(max(operationCount, 1)) }
}
