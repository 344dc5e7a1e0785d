import Datasets

// The order of columns, parameters and results, shared by all statements about flights.
extension FlightRecord {
    /// The columns of an insert after key, entity number and version.
    static let insertedColumns = [
        "ZYEAR", "ZMONTH", "ZDAY", "ZDEPARTURETIME", "ZSCHEDULEDDEPARTURETIME",
        "ZDEPARTUREDELAYMINUTES", "ZARRIVALTIME", "ZSCHEDULEDARRIVALTIME", "ZARRIVALDELAYMINUTES",
        "ZFLIGHTNUMBER", "ZAIRTIMEMINUTES", "ZDISTANCE", "ZHOUR", "ZMINUTE", "ZPLANE", "ZAIRLINE",
        "ZORIGIN", "ZDESTINATION", "ZSCHEDULEDHOUR", "ZCARRIER", "ZTAILNUMBER", "ZORIGINCODE",
        "ZDESTINATIONCODE",
    ]

    /// From the last column to the first, so that SQLite reads a row's header only once.
    static let selection = (["Z_PK", "Z_OPT"] + insertedColumns).reversed().joined(separator: ", ")

    /// Reads a row of `selection`.
    @inline(__always)
    init(_ statement: borrowing CStatement) {
        self.init(
            key: statement.integer(24),
            version: statement.integer(23),
            year: Int(statement.integer(22)),
            month: Int(statement.integer(21)),
            day: Int(statement.integer(20)),
            departureTime: statement.optionalInteger(19).map { Int($0) },
            scheduledDepartureTime: Int(statement.integer(18)),
            departureDelayMinutes: statement.optionalInteger(17).map { Int($0) },
            arrivalTime: statement.optionalInteger(16).map { Int($0) },
            scheduledArrivalTime: Int(statement.integer(15)),
            arrivalDelayMinutes: statement.optionalInteger(14).map { Int($0) },
            flightNumber: Int(statement.integer(13)),
            airTimeMinutes: statement.optionalInteger(12).map { Int($0) },
            distance: Int(statement.integer(11)),
            hour: Int(statement.integer(10)),
            minute: Int(statement.integer(9)),
            plane: statement.optionalInteger(8),
            airline: statement.optionalInteger(7),
            origin: statement.optionalInteger(6),
            destination: statement.optionalInteger(5),
            scheduledHour: statement.date(4),
            carrier: statement.text(3),
            tailNumber: statement.optionalText(2),
            originCode: statement.text(1),
            destinationCode: statement.text(0))
    }

    /// Binds a value for each of `insertedColumns`, the first at index 2, after the key.
    @inline(__always)
    static func bind(
        _ flight: FlightRow, _ references: FlightReferences, to statement: inout CStatement
    ) {
        statement.bind(flight.year, 2)
        statement.bind(flight.month, 3)
        statement.bind(flight.day, 4)
        statement.bind(flight.departureTime, 5)
        statement.bind(flight.scheduledDepartureTime, 6)
        statement.bind(flight.departureDelayMinutes, 7)
        statement.bind(flight.arrivalTime, 8)
        statement.bind(flight.scheduledArrivalTime, 9)
        statement.bind(flight.arrivalDelayMinutes, 10)
        statement.bind(flight.flightNumber, 11)
        statement.bind(flight.airTimeMinutes, 12)
        statement.bind(flight.distanceMiles, 13)
        statement.bind(flight.hour, 14)
        statement.bind(flight.minute, 15)
        statement.bind(references.plane, 16)
        statement.bind(references.airline, 17)
        statement.bind(references.origin, 18)
        statement.bind(references.destination, 19)
        statement.bind(flight.scheduledHour, 20)
        statement.bind(flight.carrier, 21)
        statement.bind(flight.tailNumber, 22)
        statement.bind(flight.origin, 23)
        statement.bind(flight.destination, 24)
    }
}
