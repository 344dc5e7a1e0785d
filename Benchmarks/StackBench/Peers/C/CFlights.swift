import Datasets
import Foundation

/// The flights through SQLite's C API, as an expert in C would use it. All ratios are relative to
/// it.
final class CFlights: FlightsSubject {
    let connection: CConnection

    init(configuration: SubjectConfiguration) throws {
        try FlightsModel.makeStoreIfMissing(configuration)
        connection = try CConnection(configuration)
    }

    func settings(_ pragmas: [String]) throws -> [[String]] {
        try [connection.settings(pragmas)]
    }

    func countAirlines() throws -> Int {
        Int(try connection.integer("SELECT COUNT(*) FROM ZAIRLINE"))
    }

    func close() throws {
        try connection.close()
    }

    func insertFlights(_ flights: [FlightRow], by mode: BulkMode) throws {
        let nothing = FlightReferences()
        try connection.insert(
            flights, entity: "Flight", columns: FlightRecord.insertedColumns,
            saveSize: mode.saveSize(of: flights.count)
        ) { FlightRecord.bind($1, nothing, to: &$0) }
    }

    func delayFlights(byMinutes minutes: Int, by mode: BulkMode) throws {
        switch mode {
        case .request:
            var update = try connection.prepare(
                """
                UPDATE ZFLIGHT \
                SET ZDEPARTUREDELAYMINUTES = ZDEPARTUREDELAYMINUTES + ?, Z_OPT = Z_OPT + 1 \
                WHERE ZDEPARTUREDELAYMINUTES IS NOT NULL
                """)
            update.bind(minutes, 1)
            try update.run()
        case .loop(let saveSize):
            try delayInPages(byMinutes: minutes, saveSize: saveSize)
        }
    }

    /// Reads and writes `saveSize` flights at a time, like the stacks.
    private func delayInPages(byMinutes minutes: Int, saveSize: Int) throws {
        var selection = try connection.prepare(
            """
            SELECT \(FlightRecord.selection) FROM ZFLIGHT \
            WHERE ZDEPARTUREDELAYMINUTES IS NOT NULL AND Z_PK > ? ORDER BY Z_PK LIMIT ?
            """)
        var update = try connection.prepare(
            """
            UPDATE ZFLIGHT SET ZDEPARTUREDELAYMINUTES = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?
            """)
        var page: [FlightRecord] = []
        var lastKey: Int64 = 0
        repeat {
            page.removeAll(keepingCapacity: true)
            selection.bind(lastKey, 1)
            selection.bind(saveSize, 2)
            while try selection.step() { page.append(FlightRecord(selection)) }
            lastKey = page.last?.key ?? lastKey
            try connection.transaction {
                for flight in page {
                    update.bind(flight.departureDelayMinutes.map { $0 + minutes }, 1)
                    update.bind(flight.version + 1, 2)
                    update.bind(flight.key, 3)
                    update.bind(flight.version, 4)
                    try update.run()
                    guard connection.changes == 1 else { throw RowChanged(key: flight.key) }
                }
            }
        } while page.count == saveSize
    }

    func findFlights(_ question: PredicateQuestion) throws -> FlightsChecksum {
        var totals = try connection.prepare(
            "SELECT COUNT(*), SUM(ZDISTANCE) FROM ZFLIGHT WHERE \(question.sqlCondition)")
        _ = try totals.step()
        return FlightsChecksum(
            rowCount: Int(totals.integer(0)), distanceMiles: Int(totals.integer(1)))
    }

    // MARK: Paging

    func scrollFlights(batchSize: Int, maximumRowCount: Int?) throws -> FlightsChecksum {
        let maximum = maximumRowCount ?? .max
        var checksum = FlightsChecksum(rowCount: 0, distanceMiles: 0)
        guard batchSize > 0 else {
            for flight in try flights("ORDER BY ZDISTANCE, Z_PK").prefix(maximum) {
                checksum.add(flight)
            }
            return checksum
        }
        // Two statements: SQLite's range over (ZDISTANCE, Z_PK) would read all ties again for each
        // page.
        var ties = try connection.prepare(
            """
            SELECT \(FlightRecord.selection) FROM ZFLIGHT \
            WHERE ZDISTANCE = ? AND Z_PK > ? ORDER BY Z_PK LIMIT ?
            """)
        var further = try connection.prepare(
            """
            SELECT \(FlightRecord.selection) FROM ZFLIGHT \
            WHERE ZDISTANCE > ? ORDER BY ZDISTANCE, Z_PK LIMIT ?
            """)
        var page: [FlightRecord] = []
        page.reserveCapacity(batchSize)
        var last: (distance: Int, key: Int64) = (.min, 0)
        repeat {
            page.removeAll(keepingCapacity: true)
            ties.bind(last.distance, 1)
            ties.bind(last.key, 2)
            ties.bind(batchSize, 3)
            while try ties.step() { page.append(FlightRecord(ties)) }
            if page.count < batchSize {
                further.bind(last.distance, 1)
                further.bind(batchSize - page.count, 2)
                while try further.step() { page.append(FlightRecord(further)) }
            }
            for flight in page.prefix(maximum - checksum.rowCount) { checksum.add(flight) }
            if let flight = page.last { last = (flight.distance, flight.key) }
        } while page.count == batchSize && checksum.rowCount < maximum
        return checksum
    }

    /// Fetches the flights for the end of a SELECT into one array.
    private func flights(_ tail: String) throws -> [FlightRecord] {
        var select = try connection.prepare(
            "SELECT \(FlightRecord.selection) FROM ZFLIGHT \(tail)")
        var flights: [FlightRecord] = []
        while try select.step() { flights.append(FlightRecord(select)) }
        return flights
    }
}

extension Subject {
    static let sqliteC = Subject(
        name: "sqlite-c", group: .peer, summary: "SQLite's C API with prepared statements",
        openFlights: CFlights.init, openItems: CItems.init, openHabits: CHabits.init,
        openLoad: CLoad.init,
        migrateItems: { try CItems.migrate($0, $1, hasPictures: $2) })
}
