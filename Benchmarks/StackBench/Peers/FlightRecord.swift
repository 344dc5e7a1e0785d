import Datasets
import Foundation

/// A row of `ZFLIGHT` as the peers read it: a struct of all columns.
struct FlightRecord: Sendable {
    var key: Int64
    var version: Int64
    var year: Int
    var month: Int
    var day: Int
    var departureTime: Int?
    var scheduledDepartureTime: Int
    var departureDelayMinutes: Int?
    var arrivalTime: Int?
    var scheduledArrivalTime: Int
    var arrivalDelayMinutes: Int?
    var flightNumber: Int
    var airTimeMinutes: Int?
    var distance: Int
    var hour: Int
    var minute: Int
    var plane: Int64?
    var airline: Int64?
    var origin: Int64?
    var destination: Int64?
    var scheduledHour: Date
    var carrier: String
    var tailNumber: String?
    var originCode: String
    var destinationCode: String
}

/// The keys that a flight refers to; nil for no reference.
struct FlightReferences: Sendable {
    var plane: Int64?
    var airline: Int64?
    var origin: Int64?
    var destination: Int64?
}
