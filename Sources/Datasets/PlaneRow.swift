/// A plane, as a row of `planes.csv`.
public struct PlaneRow: Sendable, Equatable {
    /// The tail number, unique in the table.
    public let tailNumber: String
    /// The year it was built; `nil` if unknown.
    public let year: Int?
    /// What kind of aircraft it is, such as `Fixed wing multi engine`.
    public let type: String
    public let manufacturer: String
    /// The manufacturer's name for the model.
    public let model: String
    public let engineCount: Int
    public let seatCount: Int
    /// The cruising speed in miles per hour; `nil` for nearly all planes.
    public let speedMilesPerHour: Int?
    /// What kind of engine it has, such as `Turbo-fan`.
    public let engine: String
}

extension PlaneRow: CSVRow {
    static let table = "planes"
    static let columns = [
        "tailnum", "year", "type", "manufacturer", "model", "engines", "seats", "speed", "engine",
    ]

    var key: (column: String, value: String)? { ("tailnum", tailNumber) }

    init(reading record: inout CSVReader) throws(DatasetError) {
        tailNumber = try record.string()
        year = try record.optionalInteger()
        type = try record.string()
        manufacturer = try record.string()
        model = try record.string()
        engineCount = try record.integer()
        seatCount = try record.integer()
        speedMilesPerHour = try record.optionalInteger()
        engine = try record.string()
    }
}
