import Datasets
import Foundation

/// A stack or a peer, opened on one store file of flights.
///
/// Each workload is written once, against this protocol, so that all subjects do equal work: the
/// same rows in the same order, with the same transaction borders and the same durability (WAL and
/// the configuration's `synchronous` setting). A subject does not measure itself.
protocol FlightsSubject: InspectableSubject {
    /// Inserts all tables with all relationships and commits after every `saveSize` objects.
    func importDataset(_ dataset: FlightsDataset, saveSize: Int) throws

    /// Inserts flights without relationships: with the subject's bulk operation, or one by one with
    /// a commit per `saveSize`.
    func insertFlights(_ flights: [FlightRow], by mode: BulkMode) throws

    /// Adds `minutes` to each departure delay that is set: with one request, or by fetching,
    /// changing and saving.
    func delayFlights(byMinutes minutes: Int, by mode: BulkMode) throws

    /// Reads flights sorted by an indexed attribute, `batchSize` rows at a time (0: all at once),
    /// at most `maximumRowCount` of them.
    func scrollFlights(batchSize: Int, maximumRowCount: Int?) throws -> FlightsChecksum

    /// Counts the matching flights and sums their distances.
    func findFlights(_ question: PredicateQuestion) throws -> FlightsChecksum

    /// Counts the airlines. Called first, so that the reading connection is open before the
    /// measurement.
    func countAirlines() throws -> Int

    /// Closes all connections.
    func close() throws
}

/// How a subject is opened.
struct SubjectConfiguration: Sendable, Codable, Hashable {
    var storeURL: URL
    /// SQLite's `synchronous` pragma, the same for all subjects of a run.
    var synchronous: String
    /// The lock policy of the coordinator; peers ignore it.
    var lockPolicy: String
    var indexes: FlightsModel.Indexes
    /// The name of the merge policy of a stack's contexts; peers ignore it.
    var mergePolicy = "error"
    /// Whether a stack imports in a batch context instead of a worker; peers ignore it.
    var importsInBatchContext = false
    /// Those of a store of items; peers find them in the file.
    var itemFeatures: ItemFeatures = []
    /// Whether the engine's store keeps a history of its changes; peers have none.
    var tracksHistory = false
    /// How a peer is written; stacks and the engine ignore it.
    var variant = PeerVariant.reference
    /// SQLite's `page_size`, which a file keeps from its creation on.
    var pageSize: Int64 = 4096

    /// Whether the URL names a database in memory.
    var isInMemory: Bool { storeURL.isInMemory }

    /// SQLite's `cache_size` of each connection. The engine's store sets it, so peers set it too.
    static let cacheSize = -32768

    /// SQLite's `temp_store` of each connection: in memory, so that no subject writes files that
    /// only take failed statements back. The engine would otherwise change it during large saves.
    static let temporaryStore = 2

    /// The pragmas of the engine's stores.
    var pragmas: [String: String] {
        ["synchronous": synchronous, "temp_store": String(Self.temporaryStore)]
    }
}

/// The two ways to change many rows.
enum BulkMode: Sendable, Hashable {
    /// The subject's own bulk request: one statement or one transaction for all rows.
    case request
    /// Object by object, with a commit after every `saveSize` objects.
    case loop(saveSize: Int)
}

/// A checksum of the rows read, to detect wrong answers.
struct FlightsChecksum: Sendable, Hashable, Codable {
    var rowCount: Int
    /// The sum of the rows' distances in miles.
    var distanceMiles: Int
}
