import Foundation

extension FlightsDataset {
    /// Generates rows with the shape, size and rough distribution of the published tables. The same
    /// seed gives the same rows on every platform.
    ///
    /// At scale 1 the counts are those of `DatasetFacts.published`; only the total distance
    /// differs.
    ///
    /// - Parameter scale: 0 or more. Multiplies the flights, also those without a plane or a
    ///   destination, and the weather up to the whole year. The other tables stay whole.
    public static func generated(seed: UInt64, scale: Double = 1) -> FlightsDataset {
        precondition(scale.isFinite && scale >= 0, "The scale must be a number of 0 or more.")
        var random = SplitMix64(seed: seed)
        let network = GeneratedNetwork(using: &random)
        let weather = generatedWeather(using: &random)
        var flights = GeneratedFlights(network: network, scale: scale)
        let weatherCount = DatasetFacts.published.weatherCount(forFlights: flights.count)
        return FlightsDataset(
            source: .generated(seed: seed), airlines: network.airlines,
            airports: network.airports, planes: network.planes,
            weather: Array(weather.prefix(weatherCount)), flights: flights.rows(using: &random))
    }

    /// Weather at each of the three airports for nearly every hour of the year, varying by season.
    private static func generatedWeather(using random: inout SplitMix64) -> [WeatherRow] {
        var kept = ExactSample(
            DatasetFacts.published.weatherCount, of: 3 * LocalHour.indices.count)
        var rows: [WeatherRow] = []
        rows.reserveCapacity(DatasetFacts.published.weatherCount)
        for origin in GeneratedNetwork.origins {
            for index in LocalHour.indices where kept.next(using: &random) {
                rows.append(weatherRow(origin, LocalHour(index: index), using: &random))
            }
        }
        return rows
    }

    private static func weatherRow(
        _ origin: String, _ hour: LocalHour, using random: inout SplitMix64
    ) -> WeatherRow {
        let daysFromMidsummer = abs(hour.dayOfYear - 196)
        let temperature = Double(8_200 - daysFromMidsummer * 28 + random.integer(in: -900..<900))
        let humidity = random.integer(in: 2_500..<10_000)
        let windSpeed = random.integer(in: 0..<24)
        let isRaining = random.happens(7, in: 100)
        return WeatherRow(
            origin: origin, year: hour.year, month: hour.month, day: hour.day, hour: hour.hour,
            temperatureFahrenheit: temperature / 100,
            dewPointFahrenheit: (temperature - Double(10_000 - humidity) / 2) / 100,
            humidityPercent: Double(humidity) / 100,
            windDirectionDegrees: random.happens(460, in: 26_115)
                ? nil : random.integer(in: 0..<37) * 10,
            windSpeedMilesPerHour: Double(windSpeed) * 1.15078,
            windGustMilesPerHour: windSpeed > 16 ? Double(windSpeed + 8) * 1.15078 : nil,
            precipitationInches: isRaining ? Double(random.integer(in: 1..<60)) / 100 : 0,
            pressureMillibars: random.happens(2_729, in: 26_115)
                ? nil : Double(random.integer(in: 9_900..<10_400)) / 10,
            visibilityMiles: isRaining ? Double(random.integer(in: 1..<40)) / 4 : 10,
            time: hour.start)
    }
}
