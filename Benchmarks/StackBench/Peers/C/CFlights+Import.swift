import Datasets

extension CFlights {
    func importDataset(_ dataset: FlightsDataset, saveSize: Int) throws {
        let airlines = try connection.insert(
            dataset.airlines, entity: "Airline", columns: ["ZCARRIER", "ZNAME"], saveSize: saveSize
        ) { statement, airline in
            statement.bind(airline.carrier, 2)
            statement.bind(airline.name, 3)
        }
        let airports = try insertAirports(dataset.airports, saveSize: saveSize)
        let planes = try insertPlanes(dataset.planes, saveSize: saveSize)
        try insertWeather(dataset.weather, saveSize: saveSize)

        let directory = FlightsDirectory(
            dataset, airlines: airlines, airports: airports, planes: planes)
        try connection.insert(
            dataset.flights, entity: "Flight", columns: FlightRecord.insertedColumns,
            saveSize: saveSize
        ) { FlightRecord.bind($1, directory.references(of: $1), to: &$0) }
    }

    private func insertAirports(_ airports: [AirportRow], saveSize: Int) throws -> Range<Int64> {
        try connection.insert(
            airports, entity: "Airport",
            columns: [
                "ZCODE", "ZNAME", "ZLATITUDE", "ZLONGITUDE", "ZALTITUDEFEET", "ZTIMEZONEHOURS",
                "ZDAYLIGHTSAVING", "ZTIMEZONENAME",
            ], saveSize: saveSize
        ) { statement, airport in
            statement.bind(airport.code, 2)
            statement.bind(airport.name, 3)
            statement.bind(airport.latitude, 4)
            statement.bind(airport.longitude, 5)
            statement.bind(airport.altitudeFeet, 6)
            statement.bind(airport.timeZoneHours, 7)
            statement.bind(airport.daylightSaving, 8)
            statement.bind(airport.timeZoneName, 9)
        }
    }

    private func insertPlanes(_ planes: [PlaneRow], saveSize: Int) throws -> Range<Int64> {
        try connection.insert(
            planes, entity: "Plane",
            columns: [
                "ZTAILNUMBER", "ZYEAR", "ZTYPE", "ZMANUFACTURER", "ZMODEL", "ZENGINECOUNT",
                "ZSEATCOUNT", "ZSPEEDMILESPERHOUR", "ZENGINE",
            ], saveSize: saveSize
        ) { statement, plane in
            statement.bind(plane.tailNumber, 2)
            statement.bind(plane.year, 3)
            statement.bind(plane.type, 4)
            statement.bind(plane.manufacturer, 5)
            statement.bind(plane.model, 6)
            statement.bind(plane.engineCount, 7)
            statement.bind(plane.seatCount, 8)
            statement.bind(plane.speedMilesPerHour, 9)
            statement.bind(plane.engine, 10)
        }
    }

    private func insertWeather(_ weather: [WeatherRow], saveSize: Int) throws {
        try connection.insert(
            weather, entity: "Weather",
            columns: [
                "ZORIGINCODE", "ZYEAR", "ZMONTH", "ZDAY", "ZHOUR", "ZTEMPERATUREFAHRENHEIT",
                "ZDEWPOINTFAHRENHEIT", "ZHUMIDITYPERCENT", "ZWINDDIRECTIONDEGREES",
                "ZWINDSPEEDMILESPERHOUR", "ZWINDGUSTMILESPERHOUR", "ZPRECIPITATIONINCHES",
                "ZPRESSUREMILLIBARS", "ZVISIBILITYMILES", "ZTIME",
            ], saveSize: saveSize
        ) { statement, hour in
            statement.bind(hour.origin, 2)
            statement.bind(hour.year, 3)
            statement.bind(hour.month, 4)
            statement.bind(hour.day, 5)
            statement.bind(hour.hour, 6)
            statement.bind(hour.temperatureFahrenheit, 7)
            statement.bind(hour.dewPointFahrenheit, 8)
            statement.bind(hour.humidityPercent, 9)
            statement.bind(hour.windDirectionDegrees, 10)
            statement.bind(hour.windSpeedMilesPerHour, 11)
            statement.bind(hour.windGustMilesPerHour, 12)
            statement.bind(hour.precipitationInches, 13)
            statement.bind(hour.pressureMillibars, 14)
            statement.bind(hour.visibilityMiles, 15)
            statement.bind(hour.time, 16)
        }
    }
}
