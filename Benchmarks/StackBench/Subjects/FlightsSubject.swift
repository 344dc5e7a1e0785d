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
