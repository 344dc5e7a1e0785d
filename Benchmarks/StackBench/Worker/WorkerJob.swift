import Datasets
import Foundation
import RunRecords

/// The task of one worker process. The parent writes it to the worker's standard input as a line of
/// JSON.
struct WorkerJob: Codable, Sendable {
    /// The name of a ``WorkloadKind`` and a value for each of its parameters.
    var kind: String
    var parameters: [String: String]
    /// The name of a ``Subject``.
    var subject: String
    /// Nil for subjects without a lock policy.
    var lockPolicy: String?
    var synchronous: String
    /// The seed of random choices in the sample; the same for all subjects of a round.
    var seed: UInt64
    /// An empty folder for this job only, which the parent deletes.
    var folder: URL
    /// The store to copy; nil if the kind starts with nothing.
    var preparedStore: URL?
    /// Nil if the kind makes its own rows.
    var dataset: DatasetSelection?
    /// Whether the worker waits for orders of turns; otherwise it does the work once, immediately.
    ///
    /// This field and all later ones are optional: an older `bench`, as the base of a comparison,
    /// ignores them.
    var takesTurns: Bool?
    /// Whether work is counted in each turn, which slows the turn down.
    var isCounting: Bool?
    /// Nil for none.
    var injections: [Injection]?
    /// Nil for kinds other than load.
    var load: LoadPlan?
    /// Whether to make the ``SampleStore`` of these parameters instead of a sample.
    var makesStore: Bool?
    /// The facts from the worker that made the prepared store.
    var storeFacts: [String: Int64]?
    /// The copy of the user's store, of which samples take copies; nil for other kinds.
    var ownStore: OwnStore?
}

/// The part of the data set that is used, and the facts to verify answers with.
struct DatasetSelection: Codable, Sendable {
    /// The seed of generated rows, which replace the published ones if those were not fetched. It
    /// never changes, so that all runs without the published rows are alike.
    private static let generatorSeed: UInt64 = 1

    /// The number of flights, from the first one; nil for all.
    var flightCount: Int?
    var facts: DatasetFacts

    /// Whether the published rows were fetched.
    static var isPublished: Bool { DatasetLocation.current() != nil }

    /// Reads the published rows, or generates as many rows of the same shape. Totals of a part are
    /// not checked here; the parent has checked those of all rows.
    static func load(flightCount: Int?) throws -> FlightsDataset {
        if let folder = DatasetLocation.current() {
            return try .load(from: folder, flightCount: flightCount)
        }
        let all = DatasetFacts.published.flightCount
        return .generated(seed: generatorSeed, scale: Double(flightCount ?? all) / Double(all))
    }
}

/// The result of a workload's function: a sample, and whether its work was right.
public struct WorkloadOutcome: Codable, Sendable {
    /// The parent fills in its position in the run.
    var sample: Sample
    var verification: Verification
    /// The facts about a store that this worker made.
    var storeFacts: [String: Int64]?
    /// Nil unless the worker was asked for it.
    var trace: TracedSample?

    /// - Parameters:
    ///   - sample: What `WorkerContext.measure` returned.
    ///   - verification: What `Verifier.verification` is once the store was read back.
    public init(sample: Sample, verification: Verification) {
        self.init(sample: sample, verification: verification, storeFacts: nil)
    }

    init(sample: Sample, verification: Verification, storeFacts: [String: Int64]?) {
        self.sample = sample
        self.verification = verification
        self.storeFacts = storeFacts
    }
}

/// A line of JSON on a worker's standard output. A worker that takes no turns writes only one.
enum WorkerReply: Codable, Sendable {
    /// The worker is prepared; the first turn can begin.
    case ready
    case turn(Turn)
    case outcome(WorkloadOutcome)
    /// The subject threw an error.
    case failure(String)
}

extension WorkerJob {
    /// A fact of ``storeFacts``: 1 if the user's store has a history.
    static let historyFact = "history"
}
