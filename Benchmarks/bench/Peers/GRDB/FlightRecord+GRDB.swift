import Datasets
import Foundation
import GRDB

// GRDB's documentation recommends this for speed: a struct that decodes by position and encodes by
// hand.
extension FlightRecord: FetchableRecord, PersistableRecord {
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

    func encode(to container: inout PersistenceContainer) {
        container["Z_ENT"] = EntityNumber.flight
        container[Columns.key] = key
        container[Columns.version] = version
        container[Columns.year] = year
        container[Columns.month] = month
        container[Columns.day] = day
        container[Columns.departureTime] = departureTime
        container[Columns.scheduledDepartureTime] = scheduledDepartureTime
        container[Columns.departureDelayMinutes] = departureDelayMinutes
        container[Columns.arrivalTime] = arrivalTime
        container[Columns.scheduledArrivalTime] = scheduledArrivalTime
        container[Columns.arrivalDelayMinutes] = arrivalDelayMinutes
        container[Columns.flightNumber] = flightNumber
        container[Columns.airTimeMinutes] = airTimeMinutes
        container[Columns.distance] = distance
        container[Columns.hour] = hour
        container[Columns.minute] = minute
        container[Columns.plane] = plane
        container[Columns.airline] = airline
        container[Columns.origin] = origin
        container[Columns.destination] = destination
        container[Columns.scheduledHour] = scheduledHour.timeIntervalSinceReferenceDate
        container[Columns.carrier] = carrier
        container[Columns.tailNumber] = tailNumber
        container[Columns.originCode] = originCode
        container[Columns.destinationCode] = destinationCode
    }

    init(_ flight: FlightRow, key: Int64, _ references: FlightReferences) {
        self.init(
            key: key,
            version: 1,
            year: flight.year,
            month: flight.month,
            day: flight.day,
            departureTime: flight.departureTime,
            scheduledDepartureTime: flight.scheduledDepartureTime,
            departureDelayMinutes: flight.departureDelayMinutes,
            arrivalTime: flight.arrivalTime,
            scheduledArrivalTime: flight.scheduledArrivalTime,
            arrivalDelayMinutes: flight.arrivalDelayMinutes,
            flightNumber: flight.flightNumber,
            airTimeMinutes: flight.airTimeMinutes,
            distance: flight.distanceMiles,
            hour: flight.hour,
            minute: flight.minute,
            plane: references.plane,
            airline: references.airline,
            origin: references.origin,
            destination: references.destination,
            scheduledHour: flight.scheduledHour,
            carrier: flight.carrier,
            tailNumber: flight.tailNumber,
            originCode: flight.origin,
            destinationCode: flight.destination)
    }
}
