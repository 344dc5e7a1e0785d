import Foundation

extension FlightsDataset {
    /// Reads the five tables in `folder`, such as `flights.csv`, in the order of the files.
    ///
    /// - Parameter expected: what the rows must add up to, so that a file cut short between two
    ///   lines does not pass.
    /// - Throws: `DatasetError` naming the file, and for a bad value its line and column.
    public static func load(
        from folder: URL, expecting expected: DatasetFacts = .published
    ) throws(DatasetError) -> FlightsDataset {
        let dataset = FlightsDataset(
            source: .published,
            airlines: try readTable(in: folder, rowCount: expected.airlineCount),
            airports: try readTable(in: folder, rowCount: expected.airportCount),
            planes: try readTable(in: folder, rowCount: expected.planeCount),
            weather: try readTable(in: folder, rowCount: expected.weatherCount),
            flights: try readTable(in: folder, rowCount: expected.flightCount))
        guard dataset.facts == expected else {
            throw .unexpectedFacts(
                folder: folder.path, expected: expected, found: dataset.facts)
        }
        return dataset
    }

    /// - Parameter rowCount: sets the memory aside at once, as growing would take twice as much.
    private static func readTable<Row: CSVRow>(
        in folder: URL, rowCount: Int
    ) throws(DatasetError) -> [Row] {
        let file = folder.appendingPathComponent(Row.table + ".csv")
        var reader = try CSVReader(file: file, columns: Row.columns)
        var rows: [Row] = []
        rows.reserveCapacity(rowCount)
        while try reader.nextRecord() {
            rows.append(try Row(reading: &reader))
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

    init(reading record: inout CSVReader) throws(DatasetError)
}
