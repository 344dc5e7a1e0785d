import Foundation
import Measuring

/// The part of a run that one machine measures. `bench merge` joins the parts.
public struct Shard: Codable, Hashable, Sendable {
    /// From 1.
    public var number: Int
    public var count: Int
    /// The ``CellResult/identifier`` of each of its cells, by ``WorkloadResult/name``; empty if the
    /// run has less to measure than there are shards.
    public var cells: [String: [String]]
    /// The workloads of the whole run, with the cells of all shards and without results.
    public var plan: [WorkloadResult]

    public init(number: Int, count: Int, cells: [String: [String]], plan: [WorkloadResult]) {
        self.number = number
        self.count = count
        self.cells = cells
        self.plan = plan
    }

    public var isEmpty: Bool { cells.isEmpty }
}

extension Shard {
    /// The largest number of shards.
    public static let countMax = 1_000

    /// Whether there can be a shard with that number.
    public static func isPossible(_ number: Int, of count: Int) -> Bool {
        (1...countMax).contains(count) && number >= 1 && number <= count
    }

    var isPossible: Bool { Self.isPossible(number, of: count) }
}

extension Shard: CustomStringConvertible {
    public var description: String { "\(number)/\(count)" }
}

/// When, where and how a shard was measured: what a merged run keeps of it beside its cells.
public struct ShardOrigin: Codable, Hashable, Sendable {
    /// ``Shard/number``.
    public var number: Int
    public var startedAt: Date
    public var finishedAt: Date?
    /// The arguments as typed, the program's name first.
    public var commandLine: [String]
    public var environment: EnvironmentFingerprint
}

extension Run {
    /// The workloads that were planned before the run began. For a shard, they are those of the
    /// whole run, without results.
    public var plannedWorkloads: [WorkloadResult] { shard?.plan ?? workloads }

    /// What one machine measured.
    public struct Machine {
        /// ``Shard/number`` in a merged run; otherwise `nil`.
        public var shard: Int?
        public var environment: EnvironmentFingerprint
        public var cells: [CellResult]
    }

    /// One for each shard of a merged run; otherwise only one.
    public var machines: [Machine] {
        let cells = workloads.flatMap(\.cells)
        guard let shards else { return [Machine(environment: environment, cells: cells)] }
        return shards.map { shard in
            Machine(
                shard: shard.number, environment: shard.environment,
                cells: cells.filter { $0.shard == shard.number })
        }
    }
}
