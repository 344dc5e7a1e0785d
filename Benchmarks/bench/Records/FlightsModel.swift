import ObjectGraph

/// The five tables as entities. A flight refers to its plane, airline, origin and destination.
///
/// Attributes have the names of the fields in `Datasets`, with two exceptions: `distance`, which is
/// in miles, and the codes of airports, whose names are used by the relationships.
enum FlightsModel {
    /// The fetch indexes of flights. Foreign keys always have indexes.
    enum Indexes: String, CaseIterable, Sendable, Codable {
        case none
        /// Indexes on distance and tail number.
        case plain
        /// As `plain`, and one on the tail number without case and diacritics, which only the
        /// engine can maintain.
        case folded
    }

    static func make(_ indexes: Indexes) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            airline, airport, plane, weather, flight(indexes),
        ])
    }

    /// Makes an empty store, so that peers start with exactly the tables and indexes of the stacks.
    static func makeStore(_ configuration: SubjectConfiguration) throws {
        let coordinator = PersistentStoreCoordinator(
            model: try make(configuration.indexes))
        let store = try coordinator.addPersistentStore(.sqlite(at: configuration.storeURL))
        try coordinator.removePersistentStore(store)
    }

    private static let airline = EntityDescription(
        name: "Airline", managedObjectClass: Airline.self,
        attributes: [
            AttributeDescription("carrier", .string, isOptional: false),
            AttributeDescription("name", .string, isOptional: false),
        ],
        relationships: [.toMany("flights", "Flight", inverse: "airline")])

    private static let airport = EntityDescription(
        name: "Airport", managedObjectClass: Airport.self,
        attributes: [
            AttributeDescription("code", .string, isOptional: false),
            AttributeDescription("name", .string, isOptional: false),
            AttributeDescription("latitude", .double, isOptional: false),
            AttributeDescription("longitude", .double, isOptional: false),
            AttributeDescription("altitudeFeet", .integer32, isOptional: false),
            AttributeDescription("timeZoneHours", .integer32, isOptional: false),
            AttributeDescription("daylightSaving", .string, isOptional: false),
            AttributeDescription("timeZoneName", .string),
        ],
        relationships: [
            .toMany("departures", "Flight", inverse: "origin"),
            .toMany("arrivals", "Flight", inverse: "destination"),
        ])

    private static let plane = EntityDescription(
        name: "Plane", managedObjectClass: Plane.self,
        attributes: [
            AttributeDescription("tailNumber", .string, isOptional: false),
            AttributeDescription("year", .integer32),
            AttributeDescription("type", .string, isOptional: false),
            AttributeDescription("manufacturer", .string, isOptional: false),
            AttributeDescription("model", .string, isOptional: false),
            AttributeDescription("engineCount", .integer32, isOptional: false),
            AttributeDescription("seatCount", .integer32, isOptional: false),
            AttributeDescription("speedMilesPerHour", .integer32),
            AttributeDescription("engine", .string, isOptional: false),
        ],
        relationships: [.toMany("flights", "Flight", inverse: "plane")])

    private static let weather = EntityDescription(
        name: "Weather", managedObjectClass: Weather.self,
        attributes: [
            AttributeDescription("originCode", .string, isOptional: false),
            AttributeDescription("year", .integer32, isOptional: false),
            AttributeDescription("month", .integer32, isOptional: false),
            AttributeDescription("day", .integer32, isOptional: false),
            AttributeDescription("hour", .integer32, isOptional: false),
            AttributeDescription("temperatureFahrenheit", .double),
            AttributeDescription("dewPointFahrenheit", .double),
            AttributeDescription("humidityPercent", .double),
            AttributeDescription("windDirectionDegrees", .integer32),
            AttributeDescription("windSpeedMilesPerHour", .double),
            AttributeDescription("windGustMilesPerHour", .double),
            AttributeDescription("precipitationInches", .double, isOptional: false),
            AttributeDescription("pressureMillibars", .double),
            AttributeDescription("visibilityMiles", .double, isOptional: false),
            AttributeDescription("time", .date, isOptional: false),
        ])

    private static func flight(_ indexes: Indexes) -> EntityDescription {
        EntityDescription(
            name: "Flight", managedObjectClass: Flight.self,
            attributes: [
                AttributeDescription("year", .integer32, isOptional: false),
                AttributeDescription("month", .integer32, isOptional: false),
                AttributeDescription("day", .integer32, isOptional: false),
                AttributeDescription("departureTime", .integer32),
                AttributeDescription("scheduledDepartureTime", .integer32, isOptional: false),
                AttributeDescription("departureDelayMinutes", .integer32),
                AttributeDescription("arrivalTime", .integer32),
                AttributeDescription("scheduledArrivalTime", .integer32, isOptional: false),
                AttributeDescription("arrivalDelayMinutes", .integer32),
                AttributeDescription("carrier", .string, isOptional: false),
                AttributeDescription("flightNumber", .integer32, isOptional: false),
                AttributeDescription("tailNumber", .string),
                AttributeDescription("originCode", .string, isOptional: false),
                AttributeDescription("destinationCode", .string, isOptional: false),
                AttributeDescription("airTimeMinutes", .integer32),
                AttributeDescription("distance", .integer32, isOptional: false),
                AttributeDescription("hour", .integer32, isOptional: false),
                AttributeDescription("minute", .integer32, isOptional: false),
                AttributeDescription("scheduledHour", .date, isOptional: false),
            ],
            relationships: [
                .toOne("plane", "Plane", inverse: "flights"),
                .toOne("airline", "Airline", inverse: "flights"),
                .toOne("origin", "Airport", inverse: "departures"),
                .toOne("destination", "Airport", inverse: "arrivals"),
            ],
            indexes: fetchIndexes(indexes))
    }

    private static func fetchIndexes(_ indexes: Indexes) -> [FetchIndexDescription] {
        let plain = [
            FetchIndexDescription("byDistance", on: "distance"),
            FetchIndexDescription("byTailNumber", on: "tailNumber"),
        ]
        let folded = FetchIndexDescription(
            "byFoldedTailNumber",
            elements: [.init("tailNumber", folding: .caseAndDiacriticInsensitive)])
        return switch indexes {
        case .none: []
        case .plain: plain
        case .folded: plain + [folded]
        }
    }
}

extension WorkerJob {
    /// The fetch indexes of the flights' store.
    var indexes: FlightsModel.Indexes {
        parameters["indexes"].flatMap(FlightsModel.Indexes.init(rawValue:)) ?? .plain
    }
}
