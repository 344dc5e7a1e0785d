/// The two ways to change many rows.
enum BulkMode: Sendable, Hashable {
    /// The subject's own bulk request: one statement or one transaction for all rows.
    case request
    /// Object by object, with a commit after every `saveSize` objects.
    case loop(saveSize: Int)
}

/// A checksum of the rows read, to detect wrong answers.
struct FlightsChecksum: Sendable, Hashable, Codable {
    var rowCount: Int
    /// The sum of the rows' distances in miles.
    var distanceMiles: Int
}
