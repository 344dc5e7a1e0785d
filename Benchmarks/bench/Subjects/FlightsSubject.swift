import Datasets
import Foundation

/// What is measured: one way of keeping the flights, a stack or a peer, opened on one store file.
///
/// Each workload is written once against this protocol, so that every subject does equal work: the same rows, in the
/// same order, with the same transaction borders and the same durability: WAL and the `synchronous` setting of the
/// configuration that it was opened with. A subject does not time itself.
protocol FlightsSubject: InspectableSubject {
    /// Inserts every table with all relationships resolved, committing after every `saveSize` objects.
    func importDataset(_ dataset: FlightsDataset, saveSize: Int) throws

    /// Inserts flights without relationships: by the subject's bulk way, or one by one with a commit per `saveSize`.
    func insertFlights(_ flights: [FlightRow], by mode: BulkMode) throws

    /// Adds `minutes` to the departure delay of every flight that has one: in one request, or fetched, changed and saved.
    func delayFlights(byMinutes minutes: Int, by mode: BulkMode) throws

    /// Reads flights in the order of an indexed attribute, `batchSize` rows at a time (0: all at once), and stops after
    /// `maximumRowCount` rows.
    func scrollFlights(batchSize: Int, maximumRowCount: Int?) throws -> FlightsChecksum

    /// Counts and sums the flights that match.
    func findFlights(_ question: PredicateQuestion) throws -> FlightsChecksum

    /// The number of airlines: the first thing that is read, so that the connection for it is open before the clock runs.
    func countAirlines() throws -> Int

    /// Closes all connections.
    func close() throws
}

/// How a subject is to be opened.
struct SubjectConfiguration: Sendable, Codable, Hashable {
    var storeURL: URL
    /// SQLite's `synchronous` pragma, the same for all subjects of a run.
    var synchronous: String
    /// The lock policy of the coordinator; peers ignore it.
    var lockPolicy: String
    var indexes: FlightsModel.Indexes
    /// The name of the merge policy of a stack's contexts; peers ignore it.
    var mergePolicy = "error"
    /// Whether a stack imports in a batch context, and not in a worker; peers have neither.
    var importsInBatchContext = false

    /// Whether the URL names a database in memory.
    var isInMemory: Bool { storeURL.isInMemory }

    /// SQLite's `cache_size` of every connection: what the engine's store sets, so peers set it too.
    static let cacheSize = -32768
}

/// The two ways of touching many rows.
enum BulkMode: Sendable, Hashable {
    /// The subject's own bulk request: one statement or one transaction for all.
    case request
    /// Object by object, with a commit after every `saveSize` objects.
    case loop(saveSize: Int)
}

/// What was read, so that a fast wrong answer is found out.
struct FlightsChecksum: Sendable, Hashable, Codable {
    var rowCount: Int
    /// The sum of the distances of the rows in miles.
    var distanceMiles: Int
}
