import Datasets
import GRDB

extension GRDBFlights {
    func importDataset(_ dataset: FlightsDataset, saveSize: Int) throws {
        let airlines = try pool.insert(
            dataset.airlines, entity: "Airline", saveSize: saveSize,
            AirlineRecord.init(airline:key:))
        let airports = try pool.insert(
            dataset.airports, entity: "Airport", saveSize: saveSize,
            AirportRecord.init(airport:key:))
        let planes = try pool.insert(
            dataset.planes, entity: "Plane", saveSize: saveSize, PlaneRecord.init(plane:key:))
        try pool.insert(
            dataset.weather, entity: "Weather", saveSize: saveSize,
            WeatherRecord.init(weather:key:))

        let directory = FlightsDirectory(
            dataset, airlines: airlines, airports: airports, planes: planes)
        try insert(dataset.flights, saveSize: saveSize) { directory.references(of: $0) }
    }
}
