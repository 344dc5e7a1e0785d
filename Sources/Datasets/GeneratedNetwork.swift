/// The generated tables that flights refer to: airlines, airports and planes.
struct GeneratedNetwork {
    let airlines: [AirlineRow]
    let airports: [AirportRow]
    let planes: [PlaneRow]
    let destinations: [Destination]
    /// Draws an airline as often as it flies.
    let airlineChoice: WeightedChoice
    /// Draws one of `destinations` as often as it is flown to. Those without an airport are drawn
    /// elsewhere.
    let destinationChoice: WeightedChoice

    struct Destination {
        let code: String
        let distanceMiles: Int
        let timeZoneHours: Int
    }

    static let origins = ["EWR", "JFK", "LGA"]

    /// Real destinations that are missing from the published airports.
    static let destinationsWithoutAirport = [
        Destination(code: "SJU", distanceMiles: 1_598, timeZoneHours: -4),
        Destination(code: "BQN", distanceMiles: 1_576, timeZoneHours: -4),
        Destination(code: "STT", distanceMiles: 1_623, timeZoneHours: -4),
        Destination(code: "PSE", distanceMiles: 1_617, timeZoneHours: -4),
    ]

    init(using random: inout SplitMix64) {
        airlines = Self.carriers.map { AirlineRow(carrier: $0.code, name: $0.name) }
        airlineChoice = WeightedChoice(Self.carriers.map(\.flights))
        airports = Self.airports(using: &random)
        planes = Self.planes(using: &random)
        destinations = airports[Self.origins.count...].prefix(101).map { airport in
            Destination(
                code: airport.code, distanceMiles: random.integer(in: 80..<2_600),
                timeZoneHours: airport.timeZoneHours)
        }
        // Roughly the published distribution: few destinations with 17,000 flights, many with some
        // hundreds.
        destinationChoice = WeightedChoice(destinations.indices.map { 30_000 / ($0 + 3) })
    }

    private static func airports(using random: inout SplitMix64) -> [AirportRow] {
        let zones = [
            (-5, "America/New_York"), (-6, "America/Chicago"), (-7, "America/Denver"),
            (-8, "America/Los_Angeles"), (-9, "America/Anchorage"), (-10, "Pacific/Honolulu"),
        ]
        let zoneChoice = WeightedChoice([519, 342, 157, 176, 239, 25])
        var codes = origins
        var used = Set(codes + destinationsWithoutAirport.map(\.code))
        while codes.count < DatasetFacts.published.airportCount {
            let code = letters(3, using: &random)
            if used.insert(code).inserted { codes.append(code) }
        }
        return codes.enumerated().map { index, code in
            let isOrigin = index < origins.count
            let (hours, name) = zones[isOrigin ? 0 : zoneChoice.next(using: &random)]
            let latitude = Double(random.integer(in: 25_000..<49_000)) / 1_000
            let longitude = Double(random.integer(in: -3_750..<3_750)) / 1_000
            return AirportRow(
                code: code, name: "\(code) Municipal Airport",
                latitude: latitude, longitude: Double(hours * 15) + longitude,
                altitudeFeet: random.integer(in: -54..<9_079), timeZoneHours: hours,
                daylightSaving: hours == -10 ? "N" : "A", timeZoneName: name)
        }
    }

    private static func planes(using random: inout SplitMix64) -> [PlaneRow] {
        let models: [(manufacturer: String, model: String, seats: Int, engine: String)] = [
            ("BOEING", "737-824", 149, "Turbo-fan"), ("BOEING", "757-222", 178, "Turbo-fan"),
            ("AIRBUS INDUSTRIE", "A320-232", 200, "Turbo-fan"),
            ("AIRBUS", "A321-231", 379, "Turbo-jet"),
            ("BOMBARDIER INC", "CL-600-2D24", 95, "Turbo-fan"),
            ("EMBRAER", "EMB-145LR", 55, "Turbo-jet"),
            ("MCDONNELL DOUGLAS", "MD-88", 142, "Turbo-fan"),
        ]
        let modelChoice = WeightedChoice([1_100, 530, 400, 336, 368, 299, 289])
        return (0..<DatasetFacts.published.planeCount).map { index in
            let model = models[modelChoice.next(using: &random)]
            return PlaneRow(
                tailNumber: "N\(10_000 + index * 21)",
                year: random.happens(70, in: 3_322) ? nil : random.integer(in: 1985..<2014),
                type: "Fixed wing multi engine", manufacturer: model.manufacturer,
                model: model.model, engineCount: 2, seatCount: model.seats,
                speedMilesPerHour: random.happens(23, in: 3_322)
                    ? random.integer(in: 90..<433) : nil,
                engine: model.engine)
        }
    }

    private static func letters(_ count: Int, using random: inout SplitMix64) -> String {
        let bytes = (0..<count).map { _ in UInt8(65 + random.integer(in: 0..<26)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The published airlines with their numbers of flights.
    private static let carriers: [(code: String, name: String, flights: Int)] = [
        ("9E", "Endeavor Air Inc.", 18_460), ("AA", "American Airlines Inc.", 32_729),
        ("AS", "Alaska Airlines Inc.", 714), ("B6", "JetBlue Airways", 54_635),
        ("DL", "Delta Air Lines Inc.", 48_110), ("EV", "ExpressJet Airlines Inc.", 54_173),
        ("F9", "Frontier Airlines Inc.", 685), ("FL", "AirTran Airways Corporation", 3_260),
        ("HA", "Hawaiian Airlines Inc.", 342), ("MQ", "Envoy Air", 26_397),
        ("OO", "SkyWest Airlines Inc.", 32), ("UA", "United Air Lines Inc.", 58_665),
        ("US", "US Airways Inc.", 20_536), ("VX", "Virgin America", 5_162),
        ("WN", "Southwest Airlines Co.", 12_275), ("YV", "Mesa Airlines Inc.", 601),
    ]
}
