import Foundation

/// All departures from New York's airports in 2013 with the airlines, airports, planes and
/// weather that they refer to: the real rows that every workload imports.
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
    /// What an import of these rows must be found to hold, counted once when they were made.
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
