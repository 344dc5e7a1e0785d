import Datasets
import Foundation

/// The sum of a column, to detect missing values and values in a wrong column or row. Reals count in
/// thousandths, texts by their hash, dates in seconds since 2001, and NULL as 0. Each value counts
/// with the weight of its row.
struct ColumnSum<Row>: Sendable {
    /// The name of the attribute in the model.
    let name: String
    /// The SQL expression of a value as an integer.
    fileprivate let sql: String
    let value: @Sendable (Row) -> Int

    static func integer(_ name: String, _ value: @escaping @Sendable (Row) -> Int?) -> Self {
        Self(name: name, sql: "IFNULL(\(column(name)), 0)") { value($0) ?? 0 }
    }

    static func real(_ name: String, _ value: @escaping @Sendable (Row) -> Double?) -> Self {
        Self(name: name, sql: "IFNULL(CAST(\(column(name)) * 1000 AS INTEGER), 0)") { row in
            value(row).map { Int($0 * 1000) } ?? 0
        }
    }

    static func text(_ name: String, _ value: @escaping @Sendable (Row) -> String?) -> Self {
        Self(name: name, sql: "\(TextHash.sqlName)(\(column(name)))") { row in
            Int(TextHash.value(of: value(row)))
        }
    }

    static func date(_ name: String, _ value: @escaping @Sendable (Row) -> Date) -> Self {
        Self(name: name, sql: "CAST(\(column(name)) AS INTEGER)") { row in
            Int(value(row).timeIntervalSinceReferenceDate)
        }
    }

    private static func column(_ name: String) -> String { "Z" + name.uppercased() }
}

/// A kind of row whose columns are checked by their sums.
protocol SummedRow {
    static var columnSums: [ColumnSum<Self>] { get }

    /// The column whose value decides what a row weighs.
    static var weighingColumn: String { get }
}

extension SummedRow {
    fileprivate static var weight: ColumnSum<Self> {
        columnSums.first { $0.name == weighingColumn }!
    }
}

extension StoreReader {
    func sums<Row: SummedRow>(_ columns: [ColumnSum<Row>], of table: String) throws -> [Int] {
        let sums = columns.map { "SUM(\($0.sql) * weight)" }
        // With a limit the subquery stays one, so that the weight is computed once for each row.
        return try integers(
            """
            SELECT \(sums.joined(separator: ", "))
            FROM (SELECT *, \(RowWeight.sql(of: Row.weight.sql)) AS weight FROM \(table) LIMIT -1)
            """)
    }
}

extension Verifier {
    /// Checks that a table's columns have the sums of the rows, which were inserted `count` times.
    mutating func check<Row: SummedRow>(
        _ rows: [Row], in table: String, of store: StoreReader, times count: Int = 1
    ) throws {
        let columns = Row.columnSums
        let weight = Row.weight
        var sums = columns.map { _ in 0 }
        // One pass over the rows: a pass per column would copy each row once per column.
        for row in rows {
            let weight = Int(RowWeight.value(of: Int64(weight.value(row))))
            for index in columns.indices { sums[index] += columns[index].value(row) * weight }
        }
        try check(columns, of: table, in: store, addUpTo: sums.map { $0 * count })
    }

    mutating func check<Row: SummedRow>(
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

extension FlightRow: SummedRow {
    static let weighingColumn = "flightNumber"

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

extension AirlineRow: SummedRow {
    static let weighingColumn = "carrier"

    static let columnSums: [ColumnSum<Self>] = [
        .text("carrier") { $0.carrier }, .text("name") { $0.name },
    ]
}

extension AirportRow: SummedRow {
    static let weighingColumn = "code"

    static let columnSums: [ColumnSum<Self>] = [
        .text("code") { $0.code }, .text("name") { $0.name }, .real("latitude") { $0.latitude },
        .real("longitude") { $0.longitude }, .integer("altitudeFeet") { $0.altitudeFeet },
        .integer("timeZoneHours") { $0.timeZoneHours },
        .text("daylightSaving") { $0.daylightSaving }, .text("timeZoneName") { $0.timeZoneName },
    ]
}

extension PlaneRow: SummedRow {
    static let weighingColumn = "tailNumber"

    static let columnSums: [ColumnSum<Self>] = [
        .text("tailNumber") { $0.tailNumber }, .integer("year") { $0.year },
        .text("type") { $0.type }, .text("manufacturer") { $0.manufacturer },
        .text("model") { $0.model }, .integer("engineCount") { $0.engineCount },
        .integer("seatCount") { $0.seatCount },
        .integer("speedMilesPerHour") { $0.speedMilesPerHour }, .text("engine") { $0.engine },
    ]
}

extension WeatherRow: SummedRow {
    static let weighingColumn = "time"

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
