import Benchmarking
import Datasets
import Foundation

/// What one worker process is to do. The parent writes it to the worker's standard input as a line
/// of JSON.
struct WorkerJob: Codable, Sendable {
    /// The name of a ``WorkloadKind`` and a value for each of its parameters.
    var kind: String
    var parameters: [String: String]
    /// The name of a ``Subject``.
    var subject: String
    /// Nil for subjects that have none.
    var lockPolicy: String?
    var synchronous: String
    /// For random choices within the sample; the same for all subjects of a round.
    var seed: UInt64
    /// An empty folder of its own, which the parent deletes.
    var folder: URL
    /// A store to be copied; nil where the kind starts from nothing.
    var preparedStore: URL?
    /// Nil where the kind makes its own rows.
    var dataset: DatasetSelection?
    /// Whether the work is done when the parent says so, as often as it says; else once, at once.
    ///
    /// These and all fields to come are optional: a `bench` of an older revision, which is the base
    /// of a comparison, passes over them.
    var takesTurns: Bool?
    /// Whether each turn is counted, which makes it slower.
    var isCounting: Bool?
    /// Nil for none.
    var injections: [Injection]?
    /// Nil for kinds other than a load.
    var load: LoadPlan?
    /// Whether to make the ``SampleStore`` of these parameters, and no sample.
    var makesStore: Bool?
    /// What whoever made the prepared store told of it.
    var storeFacts: [String: Int64]?
}

/// Which part of the data set is worked on, and what it must be found to hold.
struct DatasetSelection: Codable, Sendable {
    /// The seed of the rows that stand in where the published ones were not fetched; always the
    /// same, so that all runs without them are alike.
    private static let generatorSeed: UInt64 = 1

    /// The first so many flights; nil for all.
    var flightCount: Int?
    var facts: DatasetFacts

    /// Whether the published rows were fetched.
    static var isPublished: Bool { DatasetLocation.current() != nil }

    /// Reads the published rows, or makes as many of the same shape. A part of the rows is not held
    /// against what they must add up to: whoever asks workers for one has read the whole.
    static func load(flightCount: Int?) throws -> FlightsDataset {
        if let folder = DatasetLocation.current() {
            return try .load(from: folder, flightCount: flightCount)
        }
        let all = DatasetFacts.published.flightCount
        return .generated(seed: generatorSeed, scale: Double(flightCount ?? all) / Double(all))
    }
}

/// What a workload's function found out.
struct WorkloadOutcome: Codable, Sendable {
    /// Its place in the run is filled in by the parent.
    var sample: Sample
    var verification: Verification
    /// Of a store that was made, what is told of it to those who copy it.
    var storeFacts: [String: Int64]?
}

/// A line of JSON on a worker's standard output; of a worker that takes no turns, its only one.
enum WorkerReply: Codable, Sendable {
    /// Everything is prepared, and the first turn may begin.
    case ready
    case turn(Turn)
    case outcome(WorkloadOutcome)
    /// The subject threw.
    case failure(String)
}
