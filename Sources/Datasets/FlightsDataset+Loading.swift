import Foundation

extension FlightsDataset {
    /// Reads the five tables in `folder`, such as `flights.csv`, and keeps the order of the files.
    ///
    /// - Parameter flightCount: how many flights to read, with their share of the weather; `nil`
    ///   for all. The rest of both files is not read.
    /// - Parameter expected: the facts of the whole tables; finds a file that was cut short between
    ///   two lines. Not checked if only a part is read.
    /// - Throws: `DatasetError` naming the file, and for a bad value its line and column.
    public static func load(
        from folder: URL, flightCount: Int? = nil, expecting expected: DatasetFacts = .published
    ) throws(DatasetError) -> FlightsDataset {
        let part = flightCount.flatMap { $0 < expected.flightCount ? $0 : nil }
        let dataset = FlightsDataset(
            source: .published,
            airlines: try readTable(in: folder, rowCount: expected.airlineCount),
            airports: try readTable(in: folder, rowCount: expected.airportCount),
            planes: try readTable(in: folder, rowCount: expected.planeCount),
            weather: try readTable(
                in: folder, rowCount: expected.weatherCount,
                limit: part.map(expected.weatherCount(forFlights:))),
            flights: try readTable(in: folder, rowCount: expected.flightCount, limit: part))
        guard part != nil || dataset.facts == expected else {
            throw .unexpectedFacts(
                folder: folder.path, expected: expected, found: dataset.facts)
        }
        return dataset
    }

    /// - Parameter rowCount: reserves the memory at once; growing would take twice as much.
    /// - Parameter limit: the number of rows after which to stop; `nil` for all.
    private static func readTable<Row: CSVRow>(
        in folder: URL, rowCount: Int, limit: Int? = nil
    ) throws(DatasetError) -> [Row] {
        let file = folder.appendingPathComponent(Row.table + ".csv")
        var reader = try CSVReader(file: file, columns: Row.columns)
        var rows: [Row] = []
        rows.reserveCapacity(limit ?? rowCount)
        var known: Set<String> = []
        while rows.count < limit ?? .max, try reader.nextRecord() {
            let row = try Row(reading: &reader)
            if let (column, value) = row.key, !known.insert(value).inserted {
                throw .duplicateKey(
                    path: reader.path, line: reader.line, column: column, value: value)
            }
            rows.append(row)
        }
        return rows
    }
}

/// A row that can be read from a table of comma-separated values.
protocol CSVRow {
    /// The name of the file, without its extension.
    static var table: String { get }
    /// The columns, in the order in which `init(reading:)` reads them.
    static var columns: [String] { get }

    /// The value that is unique in the table, and its column; nil if there is none.
    var key: (column: String, value: String)? { get }

    init(reading record: inout CSVReader) throws(DatasetError)
}

extension CSVRow {
    var key: (column: String, value: String)? { nil }
}
