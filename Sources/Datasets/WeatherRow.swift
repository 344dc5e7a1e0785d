import Foundation

/// The weather of one hour at a departure airport, as a row of `weather.csv`.
///
/// `origin` and `time` together are unique in the table. A missing measurement is `nil`.
public struct WeatherRow: Sendable, Equatable {
    /// The code of the airport.
    public let origin: String
    /// Local year.
    public let year: Int
    /// Local month, 1 to 12.
    public let month: Int
    /// Local day of the month, 1 to 31.
    public let day: Int
    /// Local hour, 0 to 23.
    public let hour: Int
    public let temperatureFahrenheit: Double?
    public let dewPointFahrenheit: Double?
    /// Relative humidity, 0 to 100.
    public let humidityPercent: Double?
    /// Where the wind comes from, 0 to 360.
    public let windDirectionDegrees: Int?
    public let windSpeedMilesPerHour: Double?
    public let windGustMilesPerHour: Double?
    public let precipitationInches: Double
    /// Pressure at sea level in millibars.
    public let pressureMillibars: Double?
    public let visibilityMiles: Double
    /// The start of the hour.
    public let time: Date
}

extension WeatherRow: CSVRow {
    static let table = "weather"
    static let columns = [
        "origin", "year", "month", "day", "hour", "temp", "dewp", "humid", "wind_dir",
        "wind_speed", "wind_gust", "precip", "pressure", "visib", "time_hour",
    ]

    init(reading record: inout CSVReader) throws(DatasetError) {
        origin = try record.string()
        year = try record.year()
        month = try record.month()
        day = try record.day(ofMonth: month, in: year)
        hour = try record.integer()
        temperatureFahrenheit = try record.optionalDouble()
        dewPointFahrenheit = try record.optionalDouble()
        humidityPercent = try record.optionalDouble()
        windDirectionDegrees = try record.optionalInteger()
        windSpeedMilesPerHour = try record.optionalDouble()
        windGustMilesPerHour = try record.optionalDouble()
        precipitationInches = try record.double()
        pressureMillibars = try record.optionalDouble()
        visibilityMiles = try record.double()
        time = try record.instant()
    }
}
