/// A way to write what a peer does. `references.yml` compares them, and the fastest becomes the
/// reference.
enum PeerVariant: String, CaseIterable, Sendable, Codable {
    /// The way of all tables: C inserts 64 rows with each statement, and GRDB prepares its statement
    /// once.
    case reference
    /// C inserts another number of rows with a statement.
    case oneRow = "1-row"
    case tenRows = "10-rows"
    case manyRows = "200-rows"
    /// GRDB inserts records.
    case records

    /// The rows that one statement of C inserts.
    var rowsPerStatement: Int {
        switch self {
        case .reference, .records: 64
        case .oneRow: 1
        case .tenRows: 10
        case .manyRows: 200
        }
    }
}
