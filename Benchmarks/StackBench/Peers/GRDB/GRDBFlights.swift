import Datasets
import Foundation
import GRDB

/// The flights as GRDB records over a `DatabasePool`, as GRDB's documentation recommends for speed.
final class GRDBFlights: FlightsSubject {
    let pool: DatabasePool

    init(configuration: SubjectConfiguration) throws {
        try FlightsModel.makeStoreIfMissing(configuration)
        pool = try DatabasePool(configuration)
    }

    func settings(_ pragmas: [String]) throws -> [[String]] { try pool.settings(pragmas) }

    func countAirlines() throws -> Int {
        try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM ZAIRLINE") ?? 0 }
    }

    func close() throws {
        try pool.close()
    }

    func insertFlights(_ flights: [FlightRow], by mode: BulkMode) throws {
        let nothing = FlightReferences()
        try insert(flights, saveSize: mode.saveSize(of: flights.count)) { _ in nothing }
    }

    func insert(
        _ flights: [FlightRow], saveSize: Int,
        _ references: @escaping (FlightRow) -> FlightReferences
    ) throws {
        try pool.insert(
            flights, entity: "Flight", by: FlightRecord.insertion, saveSize: saveSize
        ) { FlightRecord.arguments($0, key: $1, references($0)) }
    }

    func delayFlights(byMinutes minutes: Int, by mode: BulkMode) throws {
        let departed = FlightRecord.filter(FlightRecord.Columns.departureDelayMinutes != nil)
        switch mode {
        case .request:
            try pool.write { database in
                _ = try departed.updateAll(
                    database,
                    [
                        FlightRecord.Columns.departureDelayMinutes += minutes,
                        FlightRecord.Columns.version += 1,
                    ])
            }
        case .loop(let saveSize):
            // `saveSize` flights at a time, like the stacks.
            var page: [FlightRecord] = []
            var lastKey: Int64 = 0
            repeat {
                let request = departed.filter(FlightRecord.Columns.key > lastKey)
                    .order(FlightRecord.Columns.key).limit(saveSize)
                page = try pool.read { try request.fetchAll($0) }
                lastKey = page.last?.key ?? lastKey
                try delay(page, byMinutes: minutes)
            } while page.count == saveSize
        }
    }

    /// Records have no optimistic locking, so this statement checks the version.
    private func delay(_ flights: [FlightRecord], byMinutes minutes: Int) throws {
        try pool.write { database in
            let update = try database.cachedStatement(
                sql: """
                    UPDATE ZFLIGHT SET ZDEPARTUREDELAYMINUTES = ?, Z_OPT = ? \
                    WHERE Z_PK = ? AND Z_OPT = ?
                    """)
            for flight in flights {
                try update.execute(arguments: [
                    flight.departureDelayMinutes.map { $0 + minutes }, flight.version + 1,
                    flight.key, flight.version,
                ])
                guard database.changesCount == 1 else { throw RowChanged(key: flight.key) }
            }
        }
    }

    func findFlights(_ question: PredicateQuestion) throws -> FlightsChecksum {
        let totals = FlightRecord.filter(sql: question.sqlCondition)
            .select(count(FlightRecord.Columns.key), sum(FlightRecord.Columns.distance))
        let row = try pool.read { try Row.fetchOne($0, totals) }
        return FlightsChecksum(rowCount: row?[0] ?? 0, distanceMiles: row?[1] ?? 0)
    }

    // MARK: Paging

    func scrollFlights(batchSize: Int, maximumRowCount: Int?) throws -> FlightsChecksum {
        let maximum = maximumRowCount ?? .max
        var checksum = FlightsChecksum(rowCount: 0, distanceMiles: 0)
        guard batchSize > 0 else {
            let ordered = FlightRecord.order(
                FlightRecord.Columns.distance, FlightRecord.Columns.key)
            let flights = try pool.read { try ordered.fetchAll($0) }
            for flight in flights.prefix(maximum) { checksum.add(flight) }
            return checksum
        }
        var last: (distance: Int, key: Int64) = (.min, 0)
        while checksum.rowCount < maximum {
            let page = try pool.read { try nextPage(in: $0, after: last, size: batchSize) }
            for flight in page.prefix(maximum - checksum.rowCount) { checksum.add(flight) }
            guard page.count == batchSize, let flight = page.last else { break }
            last = (flight.distance, flight.key)
        }
        return checksum
    }

    /// The next flights by distance and key: first those with the last distance, then longer ones.
    /// Uses SQL requests, since only these reuse their statements.
    private func nextPage(
        in database: Database, after last: (distance: Int, key: Int64), size: Int
    ) throws -> [FlightRecord] {
        let ties = SQLRequest<FlightRecord>(
            sql: """
                SELECT \(FlightRecord.selection) FROM ZFLIGHT \
                WHERE ZDISTANCE = ? AND Z_PK > ? ORDER BY Z_PK LIMIT ?
                """, arguments: [last.distance, last.key, size], cached: true)
        var page = try ties.fetchAll(database)
        guard page.count < size else { return page }
        let further = SQLRequest<FlightRecord>(
            sql: """
                SELECT \(FlightRecord.selection) FROM ZFLIGHT \
                WHERE ZDISTANCE > ? ORDER BY ZDISTANCE, Z_PK LIMIT ?
                """, arguments: [last.distance, size - page.count], cached: true)
        page += try further.fetchAll(database)
        return page
    }
}

extension DatabasePool {
    /// Opens an existing store with the `synchronous` setting of all subjects.
    convenience init(_ configuration: SubjectConfiguration) throws {
        var settings = Configuration()
        // As long as the other subjects wait. By default GRDB fails immediately, even if a
        // checkpoint holds the lock.
        settings.busyMode = .timeout(240)
        settings.prepareDatabase {
            try $0.execute(sql: "PRAGMA cache_size = \(SubjectConfiguration.cacheSize)")
            try $0.execute(sql: "PRAGMA temp_store = \(SubjectConfiguration.temporaryStore)")
        }
        try self.init(path: configuration.storeURL.path, configuration: settings)
        // After opening, because the pool itself sets NORMAL. Readers do not need it.
        try writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA synchronous = \(configuration.synchronous)")
        }
    }

    /// The values of pragmas on the only writing connection.
    func settings(_ pragmas: [String]) throws -> [[String]] {
        try writeWithoutTransaction { database in
            try [
                pragmas.map { pragma in
                    let row = try Row.fetchOne(database, sql: "PRAGMA \(pragma)")
                    return row.map { text(of: $0[0]) } ?? ""
                }
            ]
        }
    }

    /// Stores the last key of an entity after rows were inserted with explicit keys.
    func keepLastKey(of entity: String) throws {
        try write {
            try $0.execute(
                sql: """
                    UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT MAX(Z_PK) FROM Z\(entity.uppercased())) \
                    WHERE Z_NAME = ?
                    """, arguments: [entity])
        }
    }
}

/// GRDB does not convert numbers to text.
private func text(of value: DatabaseValue) -> String {
    switch value.storage {
    case .int64(let number): String(number)
    case .string(let text): text
    case .null, .double, .blob: value.description
    }
}

extension Subject {
    static let grdb = Subject(
        name: "grdb", group: .peer, summary: "GRDB records over a DatabasePool",
        openFlights: GRDBFlights.init, openItems: GRDBItems.init,
        openHabits: GRDBHabits.init, openLoad: GRDBLoad.init)
}
