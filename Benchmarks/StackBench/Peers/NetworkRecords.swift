import Datasets
import GRDB

/// An airline to insert. Flights refer to this table; it is only written, so the record cannot be
/// fetched.
struct AirlineRecord: PersistableRecord {
    static let databaseTableName = "ZAIRLINE"
    var airline: AirlineRow
    var key: Int64

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = EntityNumber.airline
        container["Z_OPT"] = 1
        container["ZCARRIER"] = airline.carrier
        container["ZNAME"] = airline.name
    }
}

struct AirportRecord: PersistableRecord {
    static let databaseTableName = "ZAIRPORT"
    var airport: AirportRow
    var key: Int64

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = EntityNumber.airport
        container["Z_OPT"] = 1
        container["ZCODE"] = airport.code
        container["ZNAME"] = airport.name
        container["ZLATITUDE"] = airport.latitude
        container["ZLONGITUDE"] = airport.longitude
        container["ZALTITUDEFEET"] = airport.altitudeFeet
        container["ZTIMEZONEHOURS"] = airport.timeZoneHours
        container["ZDAYLIGHTSAVING"] = airport.daylightSaving
        container["ZTIMEZONENAME"] = airport.timeZoneName
    }
}

struct PlaneRecord: PersistableRecord {
    static let databaseTableName = "ZPLANE"
    var plane: PlaneRow
    var key: Int64

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = EntityNumber.plane
        container["Z_OPT"] = 1
        container["ZTAILNUMBER"] = plane.tailNumber
        container["ZYEAR"] = plane.year
        container["ZTYPE"] = plane.type
        container["ZMANUFACTURER"] = plane.manufacturer
        container["ZMODEL"] = plane.model
        container["ZENGINECOUNT"] = plane.engineCount
        container["ZSEATCOUNT"] = plane.seatCount
        container["ZSPEEDMILESPERHOUR"] = plane.speedMilesPerHour
        container["ZENGINE"] = plane.engine
    }
}

struct WeatherRecord: PersistableRecord {
    static let databaseTableName = "ZWEATHER"
    var weather: WeatherRow
    var key: Int64

    func encode(to container: inout PersistenceContainer) {
        container["Z_PK"] = key
        container["Z_ENT"] = EntityNumber.weather
        container["Z_OPT"] = 1
        container["ZORIGINCODE"] = weather.origin
        container["ZYEAR"] = weather.year
        container["ZMONTH"] = weather.month
        container["ZDAY"] = weather.day
        container["ZHOUR"] = weather.hour
        container["ZTEMPERATUREFAHRENHEIT"] = weather.temperatureFahrenheit
        container["ZDEWPOINTFAHRENHEIT"] = weather.dewPointFahrenheit
        container["ZHUMIDITYPERCENT"] = weather.humidityPercent
        container["ZWINDDIRECTIONDEGREES"] = weather.windDirectionDegrees
        container["ZWINDSPEEDMILESPERHOUR"] = weather.windSpeedMilesPerHour
        container["ZWINDGUSTMILESPERHOUR"] = weather.windGustMilesPerHour
        container["ZPRECIPITATIONINCHES"] = weather.precipitationInches
        container["ZPRESSUREMILLIBARS"] = weather.pressureMillibars
        container["ZVISIBILITYMILES"] = weather.visibilityMiles
        container["ZTIME"] = weather.time.timeIntervalSinceReferenceDate
    }
}

/// The engine's entity numbers: entities in the order of their names, from 1.
enum EntityNumber {
    static let airline = 1
    static let airport = 2
    static let flight = 3
    static let plane = 4
    static let weather = 5
    // These are entities of the items' model.
    static let item = 1
    static let rack = 2
}
