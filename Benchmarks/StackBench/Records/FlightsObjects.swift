import Datasets
import Foundation
import ObjectGraph

final class Airline: ManagedObject {
    static let carrier = Attribute<String>("carrier")
    static let name = Attribute<String>("name")
    static let flights = ToMany<Flight>("flights", inverse: Flight.airline)

    override class var managedProperties: [any ManagedProperty] {
        [carrier, name, flights]
    }

    func take(_ row: AirlineRow) {
        self[Self.carrier] = row.carrier
        self[Self.name] = row.name
    }
}

final class Airport: ManagedObject {
    static let code = Attribute<String>("code")
    static let name = Attribute<String>("name")
    static let latitude = Attribute<Double>("latitude")
    static let longitude = Attribute<Double>("longitude")
    static let altitudeFeet = Attribute<Int>("altitudeFeet", .integer32)
    static let timeZoneHours = Attribute<Int>("timeZoneHours", .integer32)
    static let daylightSaving = Attribute<String>("daylightSaving")
    static let timeZoneName = Attribute<String?>("timeZoneName")
    static let departures = ToMany<Flight>("departures", inverse: Flight.origin)
    static let arrivals = ToMany<Flight>("arrivals", inverse: Flight.destination)

    override class var managedProperties: [any ManagedProperty] {
        [
            code, name, latitude, longitude, altitudeFeet, timeZoneHours, daylightSaving,
            timeZoneName, departures, arrivals,
        ]
    }

    func take(_ row: AirportRow) {
        self[Self.code] = row.code
        self[Self.name] = row.name
        self[Self.latitude] = row.latitude
        self[Self.longitude] = row.longitude
        self[Self.altitudeFeet] = row.altitudeFeet
        self[Self.timeZoneHours] = row.timeZoneHours
        self[Self.daylightSaving] = row.daylightSaving
        self[Self.timeZoneName] = row.timeZoneName
    }
}

final class Plane: ManagedObject {
    static let tailNumber = Attribute<String>("tailNumber")
    static let year = Attribute<Int?>("year", .integer32)
    static let type = Attribute<String>("type")
    static let manufacturer = Attribute<String>("manufacturer")
    static let model = Attribute<String>("model")
    static let engineCount = Attribute<Int>("engineCount", .integer32)
    static let seatCount = Attribute<Int>("seatCount", .integer32)
    static let speedMilesPerHour = Attribute<Int?>("speedMilesPerHour", .integer32)
    static let engine = Attribute<String>("engine")
    static let flights = ToMany<Flight>("flights", inverse: Flight.plane)

    override class var managedProperties: [any ManagedProperty] {
        [
            tailNumber, year, type, manufacturer, model, engineCount, seatCount, speedMilesPerHour,
            engine, flights,
        ]
    }

    func take(_ row: PlaneRow) {
        self[Self.tailNumber] = row.tailNumber
        self[Self.year] = row.year
        self[Self.type] = row.type
        self[Self.manufacturer] = row.manufacturer
        self[Self.model] = row.model
        self[Self.engineCount] = row.engineCount
        self[Self.seatCount] = row.seatCount
        self[Self.speedMilesPerHour] = row.speedMilesPerHour
        self[Self.engine] = row.engine
    }
}

final class Weather: ManagedObject {
    static let originCode = Attribute<String>("originCode")
    static let year = Attribute<Int>("year", .integer32)
    static let month = Attribute<Int>("month", .integer32)
    static let day = Attribute<Int>("day", .integer32)
    static let hour = Attribute<Int>("hour", .integer32)
    static let temperatureFahrenheit = Attribute<Double?>("temperatureFahrenheit")
    static let dewPointFahrenheit = Attribute<Double?>("dewPointFahrenheit")
    static let humidityPercent = Attribute<Double?>("humidityPercent")
    static let windDirectionDegrees = Attribute<Int?>("windDirectionDegrees", .integer32)
    static let windSpeedMilesPerHour = Attribute<Double?>("windSpeedMilesPerHour")
    static let windGustMilesPerHour = Attribute<Double?>("windGustMilesPerHour")
    static let precipitationInches = Attribute<Double>("precipitationInches")
    static let pressureMillibars = Attribute<Double?>("pressureMillibars")
    static let visibilityMiles = Attribute<Double>("visibilityMiles")
    static let time = Attribute<Date>("time")

    override class var managedProperties: [any ManagedProperty] {
        [
            originCode, year, month, day, hour, temperatureFahrenheit, dewPointFahrenheit,
            humidityPercent, windDirectionDegrees, windSpeedMilesPerHour, windGustMilesPerHour,
            precipitationInches, pressureMillibars, visibilityMiles, time,
        ]
    }

    func take(_ row: WeatherRow) {
        self[Self.originCode] = row.origin
        self[Self.year] = row.year
        self[Self.month] = row.month
        self[Self.day] = row.day
        self[Self.hour] = row.hour
        self[Self.temperatureFahrenheit] = row.temperatureFahrenheit
        self[Self.dewPointFahrenheit] = row.dewPointFahrenheit
        self[Self.humidityPercent] = row.humidityPercent
        self[Self.windDirectionDegrees] = row.windDirectionDegrees
        self[Self.windSpeedMilesPerHour] = row.windSpeedMilesPerHour
        self[Self.windGustMilesPerHour] = row.windGustMilesPerHour
        self[Self.precipitationInches] = row.precipitationInches
        self[Self.pressureMillibars] = row.pressureMillibars
        self[Self.visibilityMiles] = row.visibilityMiles
        self[Self.time] = row.time
    }
}
