import Datasets
import Foundation

/// The sum of a column, to detect missing values and values in a wrong column. Reals count in
/// thousandths, strings by their length, dates in seconds since 2001. NULL counts as 0.
struct ColumnSum<Row>: Sendable {
    /// The name of the attribute in the model.
    let name: String
    /// The SQL expression of the sum as an integer.
    let sql: String
    let value: @Sendable (Row) -> Int

    static func integer(_ name: String, _ value: @escaping @Sendable (Row) -> Int?) -> Self {
        Self(name: name, sql: "TOTAL(\(column(name)))") { value($0) ?? 0 }
    }

    static func real(_ name: String, _ value: @escaping @Sendable (Row) -> Double?) -> Self {
        Self(name: name, sql: "TOTAL(CAST(\(column(name)) * 1000 AS INTEGER))") { row in
            value(row).map { Int($0 * 1000) } ?? 0
        }
    }

    static func text(_ name: String, _ value: @escaping @Sendable (Row) -> String?) -> Self {
        Self(name: name, sql: "TOTAL(LENGTH(\(column(name))))") { row in
            value(row)?.unicodeScalars.count ?? 0
        }
    }

    static func date(_ name: String, _ value: @escaping @Sendable (Row) -> Date) -> Self {
        Self(name: name, sql: "TOTAL(CAST(\(column(name)) AS INTEGER))") { row in
            Int(value(row).timeIntervalSinceReferenceDate)
        }
    }

    private static func column(_ name: String) -> String { "Z" + name.uppercased() }
}

extension StoreReader {
    func sums<Row>(_ columns: [ColumnSum<Row>], of table: String) throws -> [Int] {
        try integers("SELECT \(columns.map(\.sql).joined(separator: ", ")) FROM \(table)")
    }
}

extension Verifier {
    /// Checks that a table's columns have the sums of the rows, which were inserted `count` times.
    mutating func check<Row>(
        _ columns: [ColumnSum<Row>], of table: String, in store: StoreReader, hold rows: [Row],
        times count: Int = 1
    ) throws {
        var sums = columns.map { _ in 0 }
        // One pass over the rows: a pass per column would copy each row once per column.
        for row in rows {
            for index in columns.indices { sums[index] += columns[index].value(row) }
        }
        try check(columns, of: table, in: store, addUpTo: sums.map { $0 * count })
    }

    mutating func check<Row>(
        _ columns: [ColumnSum<Row>], of table: String, in store: StoreReader,
        addUpTo expected: [Int]
    ) throws {
        let found = try store.sums(columns, of: table)
        let differing = columns.indices.filter { found[$0] != expected[$0] }.map {
            "\(columns[$0].name) \(found[$0]) instead of \(expected[$0])"
        }
        let right = "right in \(columns.count) columns"
        check(
            "sums of \(table)", differing.isEmpty ? right : differing.joined(separator: ", "),
            equals: right)
    }
}

extension FlightRow {
    static let columnSums: [ColumnSum<Self>] = [
        .integer("year") { $0.year }, .integer("month") { $0.month }, .integer("day") { $0.day },
        .integer("departureTime") { $0.departureTime },
        .integer("scheduledDepartureTime") { $0.scheduledDepartureTime },
        .integer("departureDelayMinutes") { $0.departureDelayMinutes },
        .integer("arrivalTime") { $0.arrivalTime },
        .integer("scheduledArrivalTime") { $0.scheduledArrivalTime },
        .integer("arrivalDelayMinutes") { $0.arrivalDelayMinutes },
        .text("carrier") { $0.carrier }, .integer("flightNumber") { $0.flightNumber },
        .text("tailNumber") { $0.tailNumber }, .text("originCode") { $0.origin },
        .text("destinationCode") { $0.destination },
        .integer("airTimeMinutes") { $0.airTimeMinutes },
        .integer("distance") { $0.distanceMiles }, .integer("hour") { $0.hour },
        .integer("minute") { $0.minute }, .date("scheduledHour") { $0.scheduledHour },
    ]
}

extension AirlineRow {
    static let columnSums: [ColumnSum<Self>] = [
        .text("carrier") { $0.carrier }, .text("name") { $0.name },
    ]
}

extension AirportRow {
    static let columnSums: [ColumnSum<Self>] = [
        .text("code") { $0.code }, .text("name") { $0.name }, .real("latitude") { $0.latitude },
        .real("longitude") { $0.longitude }, .integer("altitudeFeet") { $0.altitudeFeet },
        .integer("timeZoneHours") { $0.timeZoneHours },
        .text("daylightSaving") { $0.daylightSaving }, .text("timeZoneName") { $0.timeZoneName },
    ]
}

extension PlaneRow {
    static let columnSums: [ColumnSum<Self>] = [
        .text("tailNumber") { $0.tailNumber }, .integer("year") { $0.year },
        .text("type") { $0.type }, .text("manufacturer") { $0.manufacturer },
        .text("model") { $0.model }, .integer("engineCount") { $0.engineCount },
        .integer("seatCount") { $0.seatCount },
        .integer("speedMilesPerHour") { $0.speedMilesPerHour }, .text("engine") { $0.engine },
    ]
}

extension WeatherRow {
    static let columnSums: [ColumnSum<Self>] = [
        .text("originCode") { $0.origin }, .integer("year") { $0.year },
        .integer("month") { $0.month }, .integer("day") { $0.day }, .integer("hour") { $0.hour },
        .real("temperatureFahrenheit") { $0.temperatureFahrenheit },
        .real("dewPointFahrenheit") { $0.dewPointFahrenheit },
        .real("humidityPercent") { $0.humidityPercent },
        .integer("windDirectionDegrees") { $0.windDirectionDegrees },
        .real("windSpeedMilesPerHour") { $0.windSpeedMilesPerHour },
        .real("windGustMilesPerHour") { $0.windGustMilesPerHour },
        .real("precipitationInches") { $0.precipitationInches },
        .real("pressureMillibars") { $0.pressureMillibars },
        .real("visibilityMiles") { $0.visibilityMiles }, .date("time") { $0.time },
    ]
}
