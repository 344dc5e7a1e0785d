/// An airport, as a row of `airports.csv`.
public struct AirportRow: Sendable, Equatable {
    /// The three-character FAA code, unique in the table.
    public let code: String
    /// The airport's usual name.
    public let name: String
    /// Degrees north of the equator.
    public let latitude: Double
    /// Degrees east of Greenwich.
    public let longitude: Double
    /// Feet above sea level.
    public let altitudeFeet: Int
    /// Hours from UTC in winter.
    public let timeZoneHours: Int
    /// The daylight saving rule: `A` for the United States, `N` for none, `U` for unknown.
    public let daylightSaving: String
    /// The IANA name of the time zone; `nil` if unknown.
    public let timeZoneName: String?
}

extension AirportRow: CSVRow {
    static let table = "airports"
    static let columns = ["faa", "name", "lat", "lon", "alt", "tz", "dst", "tzone"]

    var key: (column: String, value: String)? { ("faa", code) }

    init(reading record: inout CSVReader) throws(DatasetError) {
        code = try record.string()
        name = try record.string()
        latitude = try record.double()
        longitude = try record.double()
        altitudeFeet = try record.integer()
        timeZoneHours = try record.integer()
        daylightSaving = try record.string()
        timeZoneName = try record.optionalString()
    }
}
