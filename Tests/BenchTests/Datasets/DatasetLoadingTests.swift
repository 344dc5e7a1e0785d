import Datasets
import Foundation
import Testing

@Suite struct `Loading the flights` {
    @Test func `every column lands in its field`() throws {
        let dataset = try DatasetFolder().load()

        let flight = dataset.flights[0]
        #expect((flight.year, flight.month, flight.day) == (2013, 1, 1))
        #expect(flight.departureTime == 517)
        #expect(flight.scheduledDepartureTime == 515)
        #expect(flight.departureDelayMinutes == 2)
        #expect(flight.arrivalTime == 830)
        #expect(flight.scheduledArrivalTime == 819)
        #expect(flight.arrivalDelayMinutes == -11)
        #expect(flight.carrier == "UA")
        #expect(flight.flightNumber == 1_545)
        #expect(flight.tailNumber == "N14228")
        #expect((flight.origin, flight.destination) == ("EWR", "IAH"))
        #expect(flight.airTimeMinutes == 227)
        #expect(flight.distanceMiles == 1_400)
        #expect((flight.hour, flight.minute) == (5, 15))
        #expect(flight.scheduledHour == Date(timeIntervalSince1970: 1_357_034_400))
        #expect(dataset.weather[0].time == flight.scheduledHour)
        #expect(dataset.weather[0].windSpeedMilesPerHour == 10.357019999999999)
        #expect(dataset.airports[0].longitude == -74.168667)
        #expect(dataset.planes[0].seatCount == 149)
    }

    @Test func `NA is nil where a value may be missing`() throws {
        let dataset = try DatasetFolder().load()

        #expect(dataset.flights[1].departureTime == nil)
        #expect(dataset.flights[1].airTimeMinutes == nil)
        #expect(dataset.flights[2].tailNumber == nil)
        #expect(dataset.airports[1].timeZoneName == nil)
        #expect(dataset.planes[0].speedMilesPerHour == nil)
        #expect(dataset.weather[0].windGustMilesPerHour == nil)
    }

    /// There is one weather row: one flight of three gets a third of it, two get two thirds.
    @Test(arguments: [(1, 0), (2, 1), (3, 1), (4, 1)])
    func `a part is the first flights and their share of the weather`(
        flights: Int, weather: Int
    ) throws {
        let folder = try DatasetFolder()
        let whole = try folder.load()
        let part = try folder.load(flightCount: flights)

        #expect(part.flights == Array(whole.flights.prefix(flights)))
        #expect(part.weather == Array(whole.weather.prefix(weather)))
        #expect(part.planes == whole.planes)
        #expect(part.facts.flightCount == min(flights, 3))
    }

    @Test func `what is behind a part is not read`() throws {
        let folder = try DatasetFolder()
        try folder.replace(",840,NA,NA,1020", with: ",84", in: "flights")

        #expect(try folder.load(flightCount: 2).flights.count == 2)
    }

    @Test(arguments: [
        ("\"Envoy, Air\"", "Envoy, Air"), ("\"Envoy \"\"Eagle\"\" Air\"", "Envoy \"Eagle\" Air"),
        ("\"Envoy\nAir\"", "Envoy\nAir"), ("\"\"", ""), ("Envoy Air\r", "Envoy Air"),
        ("\"Envoy Air\"\r", "Envoy Air"), ("Envoyé", "Envoyé"),
    ])
    func `quotes and line endings follow RFC 4180`(written: String, name: String) throws {
        let folder = try DatasetFolder()
        try folder.replace("Envoy Air", with: written, in: "airlines")

        #expect(try folder.load().airlines.map(\.name) == ["United Air Lines Inc.", name])
    }

    @Test func `the last line needs no end`() throws {
        let folder = try DatasetFolder()
        try folder.replace("Envoy Air\n", with: "Envoy Air", in: "airlines")

        #expect(try folder.load().airlines.count == 2)
    }

    /// The name before moves the end of a chunk of 65,536 bytes through the record.
    @Test(arguments: [
        ("\"Envoy, \"\"Air\"\"\n\"\r\n", "Envoy, \"Air\"\n"), ("Envoy Air\r\n", "Envoy Air"),
        ("\"Envoy Air\"\r\n", "Envoy Air"), ("\"Envoy Air\"", "Envoy Air"),
        ("Envoy Air\r", "Envoy Air"), ("", ""), ("\"\"", ""),
    ])
    func `a record may continue in the next chunk`(written: String, name: String) throws {
        let folder = try DatasetFolder()
        let start = "carrier,name\nUA,"
        for before in 0...written.utf8.count + 4 {
            let padding = String(repeating: "x", count: 65_536 - start.utf8.count - before)
            try folder.write("airlines", "\(start)\(padding)\nMQ,\(written)")

            #expect(try folder.load().airlines.map(\.name) == [padding, name])
        }
    }

    @Test(arguments: [0, 65_536, 300_000])
    func `a field may be longer than a chunk`(length: Int) throws {
        let folder = try DatasetFolder()
        let name = String(repeating: "Envoy \"Air\",\r\n", count: length / 14 + 1)
        let written = name.replacingOccurrences(of: "\"", with: "\"\"")
        try folder.replace("Envoy Air", with: "\"\(written)\"", in: "airlines")

        #expect(try folder.load().airlines.last?.name == name)
    }

    @Test(arguments: [
        "0", "-0", "7", "-12.5", "5.", ".5", "1e2", "0.1", "0.30000000000000004", "123456789012345",
        "99999999999.999", "9007199254740993", "-0.00000000001", "0x1p3", "+1",
    ])
    func `a number is the nearest double`(written: String) throws {
        let folder = try DatasetFolder()
        try folder.replace("-74.168667", with: written, in: "airports")

        let longitude = try folder.load().airports[0].longitude
        #expect(longitude.bitPattern == Double(written)?.bitPattern)
    }

    @Test func `a missing table is named`() throws {
        let folder = try DatasetFolder()
        let path = folder.path("weather")
        try FileManager.default.removeItem(atPath: path)

        #expect {
            try folder.load()
        } throws: { error in
            guard case DatasetError.unreadableFile(path, _) = error else { return false }
            return true
        }
    }

    @Test func `other columns are refused`() throws {
        let folder = try DatasetFolder()
        try folder.replace("carrier,name", with: "code,name", in: "airlines")

        #expect(
            throws: DatasetError.unexpectedColumns(
                path: folder.path("airlines"), expected: ["carrier", "name"],
                found: ["code", "name"])
        ) { try folder.load() }
    }

    @Test func `a line break in quotes counts as a line`() throws {
        let folder = try DatasetFolder()
        try folder.replace("Envoy Air\n", with: "\"Envoy\nAir\"\nAA\n", in: "airlines")

        #expect(
            throws: DatasetError.wrongFieldCount(
                path: folder.path("airlines"), line: 5, expected: 2, found: 1)
        ) { try folder.load() }
    }

    @Test func `a line cut short is named`() throws {
        let folder = try DatasetFolder()
        try folder.replace(",840,NA,NA,1020", with: ",84", in: "flights")

        #expect(
            throws: DatasetError.wrongFieldCount(
                path: folder.path("flights"), line: 4, expected: 19, found: 16)
        ) { try folder.load() }
    }

    @Test(arguments: ["\"Envoy Air", "\"Envoy\" Air", "Envoy \"Eagle\"", "\"Envoy\"\r Air"])
    func `a quote out of place is named`(written: String) throws {
        let folder = try DatasetFolder()
        try folder.replace("Envoy Air", with: written, in: "airlines")

        #expect(
            throws: DatasetError.misplacedQuote(path: folder.path("airlines"), line: 3)
        ) { try folder.load() }
    }

    struct BadField: Sendable, CustomTestStringConvertible {
        let table: String
        let old: String
        let new: String
        let line: Int
        let column: String
        let expected: String
        let found: String

        var testDescription: String { "\(table).\(column) = \(found)" }
    }

    @Test(arguments: [
        BadField(
            table: "flights", old: ",1400,", new: ",14OO,", line: 2, column: "distance",
            expected: "a whole number", found: "14OO"),
        BadField(
            table: "flights", old: ",1400,", new: ",NA,", line: 2, column: "distance",
            expected: "a whole number", found: "NA"),
        BadField(
            table: "flights", old: ",227,", new: ",-,", line: 2, column: "air_time",
            expected: "a whole number or NA", found: "-"),
        BadField(
            table: "flights", old: ",227,", new: ",9999999999999999999,", line: 2,
            column: "air_time", expected: "a whole number or NA", found: "9999999999999999999"),
        BadField(
            table: "flights", old: "2013-09-30T15:00:00Z", new: "2013-13-30T15:00:00Z", line: 3,
            column: "time_hour", expected: "a time such as 2013-01-01T10:00:00Z",
            found: "2013-13-30T15:00:00Z"),
        BadField(
            table: "flights", old: "2013-09-30T15:00:00Z", new: "2013-02-29T15:00:00Z", line: 3,
            column: "time_hour", expected: "a time such as 2013-01-01T10:00:00Z",
            found: "2013-02-29T15:00:00Z"),
        BadField(
            table: "flights", old: "2013,9,30,NA,1159", new: "2013,2,31,NA,1159", line: 3,
            column: "day", expected: "a day from 1 to 28", found: "31"),
        BadField(
            table: "weather", old: "EWR,2013,1,1", new: "EWR,2013,13,1", line: 2,
            column: "month", expected: "a month from 1 to 12", found: "13"),
        BadField(
            table: "weather", old: "EWR,2013,1,1", new: "EWR,999999999999999999,1,1", line: 2,
            column: "year", expected: "a year from 1 to 9999", found: "999999999999999999"),
        BadField(
            table: "airports", old: "40.6925", new: "nan", line: 2, column: "lat",
            expected: "a number", found: "nan"),
        BadField(
            table: "airports", old: "40.6925", new: "-.", line: 2, column: "lat",
            expected: "a number", found: "-."),
        BadField(
            table: "airports", old: "40.6925", new: "4.0.6", line: 2, column: "lat",
            expected: "a number", found: "4.0.6"),
        BadField(
            table: "weather", old: "39.02", new: "", line: 2, column: "temp",
            expected: "a number or NA", found: ""),
    ])
    func `a bad value is named with its line and column`(bad: BadField) throws {
        let folder = try DatasetFolder()
        try folder.replace(bad.old, with: bad.new, in: bad.table)

        let error = DatasetError.invalidField(
            path: folder.path(bad.table), line: bad.line, column: bad.column,
            expected: bad.expected, found: bad.found)
        #expect(throws: error) { try folder.load() }
        #expect(error.description.hasPrefix("\(folder.path(bad.table)):\(bad.line): "))
    }

    @Test(arguments: [
        ("airlines", "MQ,Envoy", "UA,Envoy", 3, "carrier", "UA"),
        ("airports", "IAH,George", "EWR,George", 3, "faa", "EWR"),
        ("planes", "N14228,1999", "N14228,1,a,b,c,2,3,NA,d\nN14228,1999", 3, "tailnum", "N14228"),
    ])
    func `a second row with a value that identifies one is named`(
        table: String, old: String, new: String, line: Int, column: String, value: String
    ) throws {
        let folder = try DatasetFolder()
        try folder.replace(old, with: new, in: table)

        #expect(
            throws: DatasetError.duplicateKey(
                path: folder.path(table), line: line, column: column, value: value)
        ) { try folder.load() }
    }

    @Test func `tables that lack rows are refused`() throws {
        let folder = try DatasetFolder()
        try folder.replace("MQ,Envoy Air\n", with: "", in: "airlines")

        #expect {
            try folder.load()
        } throws: { error in
            guard case DatasetError.unexpectedFacts(_, DatasetFolder.facts, let found) = error
            else { return false }
            return found.airlineCount == 1
        }
    }
}

@Suite(.enabled(if: DatasetLocation.current() != nil, "scripts/fetch-dataset has not run"))
struct `The published flights` {
    @Test func `the fetched tables hold the published facts`() throws {
        let dataset = try FlightsDataset.load(from: try #require(DatasetLocation.current()))

        #expect(dataset.source == .published)
        #expect(dataset.facts.flightCount == 336_776)
        #expect(dataset.facts.flightsWithoutPlane == 52_606)
        #expect(dataset.facts.flightsWithoutDestination == 7_602)
        #expect(dataset.facts.distanceMilesTotal == 350_217_607)
    }
}
