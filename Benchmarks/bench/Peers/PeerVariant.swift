/// A way to write what a peer does. `references.yml` compares them, and the fastest becomes the
/// reference.
enum PeerVariant: String, CaseIterable, Sendable, Codable {
    /// What all tables show.
    case reference
    /// C inserts so many rows with a statement.
    case oneRow = "1-row"
    case tenRows = "10-rows"
    case manyRows = "64-rows"
    /// GRDB inserts with its records, or with a statement that is prepared once.
    case records
    case statements

    /// The rows that one statement of C inserts.
    var rowsPerStatement: Int {
        switch self {
        case .oneRow: 1
        case .tenRows: 10
        case .manyRows: 64
        case .reference, .records, .statements: 64
        }
    }
}
