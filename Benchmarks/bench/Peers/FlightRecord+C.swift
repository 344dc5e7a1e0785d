import Datasets

// Which column is which parameter and which result, once for all statements about flights.
extension FlightRecord {
    /// The columns that an insert takes behind key, entity number and version.
    static let insertedColumns = [
        "ZYEAR", "ZMONTH", "ZDAY", "ZDEPARTURETIME", "ZSCHEDULEDDEPARTURETIME",
        "ZDEPARTUREDELAYMINUTES", "ZARRIVALTIME", "ZSCHEDULEDARRIVALTIME", "ZARRIVALDELAYMINUTES",
        "ZFLIGHTNUMBER", "ZAIRTIMEMINUTES", "ZDISTANCE", "ZHOUR", "ZMINUTE", "ZPLANE", "ZAIRLINE",
        "ZORIGIN", "ZDESTINATION", "ZSCHEDULEDHOUR", "ZCARRIER", "ZTAILNUMBER", "ZORIGINCODE",
        "ZDESTINATIONCODE",
    ]

    static let selection = (["Z_PK", "Z_OPT"] + insertedColumns).joined(separator: ", ")

    /// Reads a row of `selection`.
    @inline(__always)
    init(_ statement: borrowing CStatement) {
        self.init(
            key: statement.integer(0),
            version: statement.integer(1),
            year: Int(statement.integer(2)),
            month: Int(statement.integer(3)),
            day: Int(statement.integer(4)),
            departureTime: statement.optionalInteger(5).map { Int($0) },
            scheduledDepartureTime: Int(statement.integer(6)),
            departureDelayMinutes: statement.optionalInteger(7).map { Int($0) },
            arrivalTime: statement.optionalInteger(8).map { Int($0) },
            scheduledArrivalTime: Int(statement.integer(9)),
            arrivalDelayMinutes: statement.optionalInteger(10).map { Int($0) },
            flightNumber: Int(statement.integer(11)),
            airTimeMinutes: statement.optionalInteger(12).map { Int($0) },
            distance: Int(statement.integer(13)),
            hour: Int(statement.integer(14)),
            minute: Int(statement.integer(15)),
            plane: statement.optionalInteger(16),
            airline: statement.optionalInteger(17),
            origin: statement.optionalInteger(18),
            destination: statement.optionalInteger(19),
            scheduledHour: statement.date(20),
            carrier: statement.text(21),
            tailNumber: statement.optionalText(22),
            originCode: statement.text(23),
            destinationCode: statement.text(24))
    }

    /// Binds a value for each of `insertedColumns`, the first at index 2, behind the key.
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
