import Datasets
import Foundation

/// The keys of airlines, airports and planes by code, to resolve the references of flights.
struct FlightsDirectory {
    private let airlines: [String: Int64]
    private let airports: [String: Int64]
    private let planes: [String: Int64]

    /// Takes the keys of each table's rows, in the order of the rows.
    init(
        _ dataset: FlightsDataset, airlines: Range<Int64>, airports: Range<Int64>,
        planes: Range<Int64>
    ) {
        self.airlines = Dictionary(
            uniqueKeysWithValues: zip(dataset.airlines.lazy.map(\.carrier), airlines))
        self.airports = Dictionary(
            uniqueKeysWithValues: zip(dataset.airports.lazy.map(\.code), airports))
        self.planes = Dictionary(
            uniqueKeysWithValues: zip(dataset.planes.lazy.map(\.tailNumber), planes))
    }

    func references(of flight: FlightRow) -> FlightReferences {
        FlightReferences(
            plane: flight.tailNumber.flatMap { planes[$0] }, airline: airlines[flight.carrier],
            origin: airports[flight.origin], destination: airports[flight.destination])
    }
}

extension FlightsModel {
    /// Makes the store with the engine, so that a peer starts with exactly the tables and indexes
    /// of the stacks.
    static func makeStoreIfMissing(_ configuration: SubjectConfiguration) throws {
        guard !FileManager.default.fileExists(atPath: configuration.storeURL.path) else { return }
        try makeStore(configuration)
    }
}

extension FlightsChecksum {
    mutating func add(_ flight: FlightRecord) {
        rowCount += 1
        distanceMiles += flight.distance
    }
}

extension BulkMode {
    /// The number of rows per transaction when `count` rows are inserted.
    func saveSize(of count: Int) -> Int {
        switch self {
        case .request: max(count, 1)
        case .loop(let saveSize): saveSize
        }
    }
}

/// A row has been changed since it was read.
struct RowChanged: Error, CustomStringConvertible {
    var key: Int64

    var description: String { "the row with the key \(key) has changed since it was read" }
}
