import Foundation

/// A departure from one of New York's three airports, as a row of `flights.csv`.
///
/// Clock times are local and written as in the source: hours times 100 plus minutes, so 517 is
/// 5:17. A cancelled flight has no departure, a diverted one no arrival. Every text has at most six
/// bytes, which a `String` stores without an allocation.
public struct FlightRow: Sendable, Equatable {
    /// Local year of departure.
    public let year: Int
    /// Local month of departure, 1 to 12.
    public let month: Int
    /// Local day of departure, 1 to 31.
    public let day: Int
    /// Clock time of departure, 1 to 2400; `nil` for a cancelled flight.
    public let departureTime: Int?
    /// Scheduled clock time of departure.
    public let scheduledDepartureTime: Int
    /// Minutes late at departure, negative when early; `nil` for a cancelled flight.
    public let departureDelayMinutes: Int?
    /// Clock time of arrival, 1 to 2400; `nil` if the flight did not arrive.
    public let arrivalTime: Int?
    /// Scheduled clock time of arrival.
    public let scheduledArrivalTime: Int
    /// Minutes late at arrival, negative when early; `nil` if the flight did not arrive as planned.
    public let arrivalDelayMinutes: Int?
    /// The code of the airline, always one of `airlines`.
    public let carrier: String
    /// The airline's number for the flight.
    public let flightNumber: Int
    /// The plane's tail number, not always one of `planes`; `nil` if unknown.
    public var tailNumber: String?
    /// The code of the departure airport, always one of `airports`.
    public let origin: String
    /// The code of the destination airport, not always one of `airports`.
    public let destination: String
    /// Minutes in the air; `nil` if the flight did not arrive as planned.
    public let airTimeMinutes: Int?
    /// Miles between the two airports.
    public let distanceMiles: Int
    /// Hour of the scheduled departure.
    public let hour: Int
    /// Minute of the scheduled departure.
    public let minute: Int
    /// The start of the hour of the scheduled departure. With `origin` it identifies the weather
    /// row.
    public let scheduledHour: Date
}

extension FlightRow: CSVRow {
    static let table = "flights"
    static let columns = [
        "year", "month", "day", "dep_time", "sched_dep_time", "dep_delay", "arr_time",
        "sched_arr_time", "arr_delay", "carrier", "flight", "tailnum", "origin", "dest",
        "air_time", "distance", "hour", "minute", "time_hour",
    ]

    init(reading record: inout CSVReader) throws(DatasetError) {
        year = try record.year()
        month = try record.month()
        day = try record.day(ofMonth: month, in: year)
        departureTime = try record.optionalInteger()
        scheduledDepartureTime = try record.integer()
        departureDelayMinutes = try record.optionalInteger()
        arrivalTime = try record.optionalInteger()
        scheduledArrivalTime = try record.integer()
        arrivalDelayMinutes = try record.optionalInteger()
        carrier = try record.string()
        flightNumber = try record.integer()
        tailNumber = try record.optionalString()
        origin = try record.string()
        destination = try record.string()
        airTimeMinutes = try record.optionalInteger()
        distanceMiles = try record.integer()
        hour = try record.integer()
        minute = try record.integer()
        scheduledHour = try record.instant()
    }
}
