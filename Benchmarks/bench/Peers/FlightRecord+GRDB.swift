import Datasets
import Foundation
import GRDB

// What GRDB's documentation recommends where speed matters: a struct that decodes by position and encodes by hand.
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

    static var databaseSelection: [any SQLSelectable] {
        [
            Columns.key,
            Columns.version,
            Columns.year,
            Columns.month,
            Columns.day,
            Columns.departureTime,
            Columns.scheduledDepartureTime,
            Columns.departureDelayMinutes,
            Columns.arrivalTime,
            Columns.scheduledArrivalTime,
            Columns.arrivalDelayMinutes,
            Columns.flightNumber,
            Columns.airTimeMinutes,
            Columns.distance,
            Columns.hour,
            Columns.minute,
            Columns.plane,
            Columns.airline,
            Columns.origin,
            Columns.destination,
            Columns.scheduledHour,
            Columns.carrier,
            Columns.tailNumber,
            Columns.originCode,
            Columns.destinationCode,
        ]
    }

    /// Positions are those of `databaseSelection`.
    init(row: Row) {
        self.init(
            key: row[0],
            version: row[1],
            year: row[2],
            month: row[3],
            day: row[4],
            departureTime: row[5],
            scheduledDepartureTime: row[6],
            departureDelayMinutes: row[7],
            arrivalTime: row[8],
            scheduledArrivalTime: row[9],
            arrivalDelayMinutes: row[10],
            flightNumber: row[11],
            airTimeMinutes: row[12],
            distance: row[13],
            hour: row[14],
            minute: row[15],
            plane: row[16],
            airline: row[17],
            origin: row[18],
            destination: row[19],
            scheduledHour: Date(timeIntervalSinceReferenceDate: row[20]),
            carrier: row[21],
            tailNumber: row[22],
            originCode: row[23],
            destinationCode: row[24])
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

    /// A flight to insert.
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
