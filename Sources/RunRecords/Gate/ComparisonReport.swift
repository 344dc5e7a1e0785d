import Foundation
import Measuring

/// Everything that a gate found: the source of `verdict.json` and the drawings.
public struct ComparisonReport: Codable, Hashable, Sendable {
    /// The version of this structure that the code reads and writes.
    public static let currentSchema = 2

    public var schema: Int
    public var base: Arm
    public var head: Arm
    public var startedAt: Date
    public var finishedAt: Date?
    /// The seed of every random choice.
    public var seed: UInt64
    /// The arguments as typed, the program's name first.
    public var commandLine: [String]
    public var build: BuildConfiguration
    public var environment: EnvironmentFingerprint
    /// The rows that both arms worked on; `nil` if no workload used a data set.
    public var dataset: DatasetDescription?
    /// Whether rows that cannot be judged fail the gate.
    public var isStrict: Bool
    /// Whether the user stopped the gate before everything was measured.
    public var isInterrupted = false
    public var rows: [Comparison]
    /// Cells that crashed or gave a wrong answer in either arm.
    public var unsoundCells: [UnsoundCell]
    /// The readings taken beside the pairs; `nil` if none were taken.
    public var noise: [NoiseReading]?

    /// One side of the comparison.
    public struct Arm: Codable, Hashable, Sendable {
        /// What the user called it: a revision, a path or the name of a run.
        public var name: String
        /// The commit it was built from, if known.
        public var commit: String?

        public init(name: String, commit: String? = nil) {
            self.name = name
            self.commit = commit
        }
    }

    public init(
        base: Arm, head: Arm, startedAt: Date, seed: UInt64, commandLine: [String],
        build: BuildConfiguration, environment: EnvironmentFingerprint,
        dataset: DatasetDescription? = nil, isStrict: Bool = false,
        rows: [Comparison] = [], unsoundCells: [UnsoundCell] = []
    ) {
        schema = Self.currentSchema
        self.base = base
        self.head = head
        self.startedAt = startedAt
        self.seed = seed
        self.commandLine = commandLine
        self.build = build
        self.environment = environment
        self.dataset = dataset
        self.isStrict = isStrict
        self.rows = rows
        self.unsoundCells = unsoundCells
    }

    public func rows(_ verdict: Verdict) -> [Comparison] {
        rows.filter { $0.verdict == verdict }
    }

    /// The gravest finding, in this order: a wrong answer, a crash, an interruption, nothing to
    /// compare, a regression, with `isStrict` a row that cannot be judged, success.
    public var exitCode: ExitCode {
        if unsoundCells.contains(where: \.isWrongAnswer) { return .wrongAnswer }
        if !unsoundCells.isEmpty { return .crash }
        if isInterrupted { return .interrupted }
        if rows.isEmpty { return .noBaseline }
        if !rows(.regressed).isEmpty { return .regression }
        if isStrict, !rows(.inconclusive).isEmpty { return .inconclusive }
        return .success
    }

    /// The meaning of the exit code, with a reservation if some rows cannot be judged.
    public var meaning: String {
        let open = rows(.inconclusive).count
        guard exitCode == .success, open > 0 else { return exitCode.meaning }
        return "nothing regressed, but \(open) of \(rows.count) rows could not be judged"
    }
}
