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
        try pool.insert(dataset.flights, entity: "Flight", saveSize: saveSize) {
            FlightRecord($0, key: $1, directory.references(of: $0))
        }
    }
}

extension DatabasePool {
    /// Inserts a record for each row with the keys after the table's last one, `saveSize` rows per
    /// transaction, and updates `Z_MAX` in each transaction.
    ///
    /// - Returns: The keys, in the order of the rows.
    @discardableResult
    func insert<Row, Record: PersistableRecord>(
        _ rows: [Row], entity: String, saveSize: Int, _ record: (Row, Int64) -> Record
    ) throws -> Range<Int64> {
        let lastKey = try read {
            try Int64.fetchOne(
                $0, sql: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = ?", arguments: [entity])
        }
        let firstKey = (lastKey ?? 0) + 1
        var key = firstKey
        for start in stride(from: 0, to: rows.count, by: saveSize) {
            try write { database in
                for row in rows[start..<min(start + saveSize, rows.count)] {
                    try record(row, key).insert(database)
                    key += 1
                }
                try database.execute(
                    sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = ?",
                    arguments: [key - 1, entity])
            }
        }
        return firstKey..<key
    }
}
