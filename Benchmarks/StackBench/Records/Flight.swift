import Datasets
import Foundation
import ObjectGraph

final class Flight: ManagedObject {
    static let year = Attribute<Int>("year", .integer32)
    static let month = Attribute<Int>("month", .integer32)
    static let day = Attribute<Int>("day", .integer32)
    static let departureTime = Attribute<Int?>("departureTime", .integer32)
    static let scheduledDepartureTime = Attribute<Int>("scheduledDepartureTime", .integer32)
    static let departureDelayMinutes = Attribute<Int?>("departureDelayMinutes", .integer32)
    static let arrivalTime = Attribute<Int?>("arrivalTime", .integer32)
    static let scheduledArrivalTime = Attribute<Int>("scheduledArrivalTime", .integer32)
    static let arrivalDelayMinutes = Attribute<Int?>("arrivalDelayMinutes", .integer32)
    static let carrier = Attribute<String>("carrier")
    static let flightNumber = Attribute<Int>("flightNumber", .integer32)
    static let tailNumber = Attribute<String?>("tailNumber")
    static let originCode = Attribute<String>("originCode")
    static let destinationCode = Attribute<String>("destinationCode")
    static let airTimeMinutes = Attribute<Int?>("airTimeMinutes", .integer32)
    static let distance = Attribute<Int>("distance", .integer32)
    static let hour = Attribute<Int>("hour", .integer32)
    static let minute = Attribute<Int>("minute", .integer32)
    static let scheduledHour = Attribute<Date>("scheduledHour")
    static let plane = ToOne<Plane>("plane")
    static let airline = ToOne<Airline>("airline")
    static let origin = ToOne<Airport>("origin")
    static let destination = ToOne<Airport>("destination")

    override class var managedProperties: [any ManagedProperty] {
        [
            year, month, day, departureTime, scheduledDepartureTime, departureDelayMinutes,
            arrivalTime, scheduledArrivalTime, arrivalDelayMinutes, carrier, flightNumber,
            tailNumber, originCode, destinationCode, airTimeMinutes, distance, hour, minute,
            scheduledHour, plane, airline, origin, destination,
        ]
    }

    var distance: Int { self[Self.distance] }

    var departureDelayMinutes: Int? {
        get { self[Self.departureDelayMinutes] }
        set { self[Self.departureDelayMinutes] = newValue }
    }

    /// Sets all attributes, but no relationships.
    func take(_ row: FlightRow) {
        self[Self.year] = row.year
        self[Self.month] = row.month
        self[Self.day] = row.day
        self[Self.departureTime] = row.departureTime
        self[Self.scheduledDepartureTime] = row.scheduledDepartureTime
        self[Self.departureDelayMinutes] = row.departureDelayMinutes
        self[Self.arrivalTime] = row.arrivalTime
        self[Self.scheduledArrivalTime] = row.scheduledArrivalTime
        self[Self.arrivalDelayMinutes] = row.arrivalDelayMinutes
        self[Self.carrier] = row.carrier
        self[Self.flightNumber] = row.flightNumber
        self[Self.tailNumber] = row.tailNumber
        self[Self.originCode] = row.origin
        self[Self.destinationCode] = row.destination
        self[Self.airTimeMinutes] = row.airTimeMinutes
        self[Self.distance] = row.distanceMiles
        self[Self.hour] = row.hour
        self[Self.minute] = row.minute
        self[Self.scheduledHour] = row.scheduledHour
    }

    /// Sets all attributes of a row of a batch insert.
    static func set(_ flight: FlightRow, in row: inout BatchInsertRow) {
        row.set(flight.year, for: year)
        row.set(flight.month, for: month)
        row.set(flight.day, for: day)
        row.set(flight.departureTime, for: departureTime)
        row.set(flight.scheduledDepartureTime, for: scheduledDepartureTime)
        row.set(flight.departureDelayMinutes, for: departureDelayMinutes)
        row.set(flight.arrivalTime, for: arrivalTime)
        row.set(flight.scheduledArrivalTime, for: scheduledArrivalTime)
        row.set(flight.arrivalDelayMinutes, for: arrivalDelayMinutes)
        row.set(flight.carrier, for: carrier)
        row.set(flight.flightNumber, for: flightNumber)
        row.set(flight.tailNumber, for: tailNumber)
        row.set(flight.origin, for: originCode)
        row.set(flight.destination, for: destinationCode)
        row.set(flight.airTimeMinutes, for: airTimeMinutes)
        row.set(flight.distanceMiles, for: distance)
        row.set(flight.hour, for: hour)
        row.set(flight.minute, for: minute)
        row.set(flight.scheduledHour, for: scheduledHour)
    }
}
