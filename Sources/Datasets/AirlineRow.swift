/// An airline, as a row of `airlines.csv`.
public struct AirlineRow: Sendable, Equatable {
    /// The two-character carrier code, unique in the table.
    public let carrier: String
    /// The airline's full name.
    public let name: String
}

extension AirlineRow: CSVRow {
    static let table = "airlines"
    static let columns = ["carrier", "name"]

    var key: (column: String, value: String)? { ("carrier", carrier) }

    init(reading record: inout CSVReader) throws(DatasetError) {
        carrier = try record.string()
        name = try record.string()
    }
}
