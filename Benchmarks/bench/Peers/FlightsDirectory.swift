import Datasets
import Foundation

/// The keys of airlines, airports and planes by their codes, to resolve the references of flights.
struct FlightsDirectory {
    private let airlines: [String: Int64]
    private let airports: [String: Int64]
    private let planes: [String: Int64]

    /// - Parameters: the keys that were given to the rows of each table, in their order.
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
    /// A peer starts with the very tables and indexes of the stacks, made by the engine.
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
    /// How many of `count` rows go into a transaction.
    func saveSize(of count: Int) -> Int {
        switch self {
        case .request: max(count, 1)
        case .loop(let saveSize): saveSize
        }
    }
}

/// A row was no longer as it had been read: somebody else has written it.
struct RowChanged: Error, CustomStringConvertible {
    var key: Int64

    var description: String { "the row with the key \(key) was changed since it was read" }
}
