import Foundation

/// All departures from New York's airports in 2013 with their airlines, airports, planes and
/// weather: the rows that every workload imports.
///
/// ```swift
/// let dataset = FlightsDataset.generated(seed: 1)
/// print(dataset.source, dataset.facts.flightCount)
/// ```
public struct FlightsDataset: Sendable {
    public let source: DatasetSource
    public let airlines: [AirlineRow]
    public let airports: [AirportRow]
    public let planes: [PlaneRow]
    public let weather: [WeatherRow]
    public let flights: [FlightRow]
    /// The facts that an import of these rows must reproduce, counted once when the data set is
    /// made.
    public let facts: DatasetFacts

    init(
        source: DatasetSource, airlines: [AirlineRow], airports: [AirportRow],
        planes: [PlaneRow], weather: [WeatherRow], flights: [FlightRow]
    ) {
        self.source = source
        self.airlines = airlines
        self.airports = airports
        self.planes = planes
        self.weather = weather
        self.flights = flights
        facts = DatasetFacts(
            airlines: airlines, airports: airports, planes: planes, weather: weather,
            flights: flights)
    }
}
