import Datasets
import Foundation
import GRDB

// GRDB's documentation recommends this for speed: a struct that decodes by position.
extension FlightRecord: FetchableRecord, TableRecord {
    static let databaseTableName = "ZFLIGHT"

    enum Columns {
        static let key = Column("Z_PK")
        static let version = Column("Z_OPT")
        static let year = Column("ZYEAR")
        static let month = Column("ZMONTH")
        static let day = Column("ZDAY")
        static let departureTime = Column("ZDEPARTURETIME")
        static let scheduledDepartureTime = Column("ZSCHEDULEDDEPARTURETIME")
        static let departureDelayMinutes = Column("ZDEPARTUREDELAYMINUTES")
        static let arrivalTime = Column("ZARRIVALTIME")
        static let scheduledArrivalTime = Column("ZSCHEDULEDARRIVALTIME")
        static let arrivalDelayMinutes = Column("ZARRIVALDELAYMINUTES")
        static let flightNumber = Column("ZFLIGHTNUMBER")
        static let airTimeMinutes = Column("ZAIRTIMEMINUTES")
        static let distance = Column("ZDISTANCE")
        static let hour = Column("ZHOUR")
        static let minute = Column("ZMINUTE")
        static let plane = Column("ZPLANE")
        static let airline = Column("ZAIRLINE")
        static let origin = Column("ZORIGIN")
        static let destination = Column("ZDESTINATION")
        static let scheduledHour = Column("ZSCHEDULEDHOUR")
        static let carrier = Column("ZCARRIER")
        static let tailNumber = Column("ZTAILNUMBER")
        static let originCode = Column("ZORIGINCODE")
        static let destinationCode = Column("ZDESTINATIONCODE")
    }

    /// From the last column to the first, so that SQLite reads a row's header only once.
    static var databaseSelection: [any SQLSelectable] {
        [
            Columns.destinationCode,
            Columns.originCode,
            Columns.tailNumber,
            Columns.carrier,
            Columns.scheduledHour,
            Columns.destination,
            Columns.origin,
            Columns.airline,
            Columns.plane,
            Columns.minute,
            Columns.hour,
            Columns.distance,
            Columns.airTimeMinutes,
            Columns.flightNumber,
            Columns.arrivalDelayMinutes,
            Columns.scheduledArrivalTime,
            Columns.arrivalTime,
            Columns.departureDelayMinutes,
            Columns.scheduledDepartureTime,
            Columns.departureTime,
            Columns.day,
            Columns.month,
            Columns.year,
            Columns.version,
            Columns.key,
        ]
    }

    /// Decodes by the positions in `databaseSelection`.
    init(row: Row) {
        self.init(
            key: row[24],
            version: row[23],
            year: row[22],
            month: row[21],
            day: row[20],
            departureTime: row[19],
            scheduledDepartureTime: row[18],
            departureDelayMinutes: row[17],
            arrivalTime: row[16],
            scheduledArrivalTime: row[15],
            arrivalDelayMinutes: row[14],
            flightNumber: row[13],
            airTimeMinutes: row[12],
            distance: row[11],
            hour: row[10],
            minute: row[9],
            plane: row[8],
            airline: row[7],
            origin: row[6],
            destination: row[5],
            scheduledHour: Date(timeIntervalSinceReferenceDate: row[4]),
            carrier: row[3],
            tailNumber: row[2],
            originCode: row[1],
            destinationCode: row[0])
    }

    static let insertion = GRDBInsertion(
        entity: "Flight", number: EntityNumber.flight, columns: insertedColumns)

    /// The key, and a value for each of `insertedColumns`.
    static func arguments(
        _ flight: FlightRow, key: Int64, _ references: FlightReferences
    ) -> StatementArguments {
        [
            key, flight.year, flight.month, flight.day, flight.departureTime,
            flight.scheduledDepartureTime, flight.departureDelayMinutes, flight.arrivalTime,
            flight.scheduledArrivalTime, flight.arrivalDelayMinutes, flight.flightNumber,
            flight.airTimeMinutes, flight.distanceMiles, flight.hour, flight.minute,
            references.plane, references.airline, references.origin, references.destination,
            flight.scheduledHour.timeIntervalSinceReferenceDate, flight.carrier, flight.tailNumber,
            flight.origin, flight.destination,
        ]
    }
}
