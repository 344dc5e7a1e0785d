import Synchronization

/// The functions that triggers in stores of Core Data call for each row that they change (spec
/// §8.7). Without them, no write to their tables would succeed.
///
/// The triggers do their work in SQL. The calls tell which rows of the row cache are now old.
final class TriggerFunctions: Sendable {
    /// A row as the file names it.
    struct Row: Sendable, Hashable {
        let entityNumber: Int64
        let key: Int64
    }

    private static let names = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    private let rows = Mutex<Set<Row>>([])

    /// The arguments are a table, an entity number, a key, an attribute or column, and its value.
    func register(on connection: Connection) throws(SQLiteError) {
        for name in Self.names {
            try connection.register(function: name, argumentCount: 5, deterministic: false) {
                [self] arguments in
                let row = Row(entityNumber: arguments[1].integer, key: arguments[2].integer)
                rows.withLock { _ = $0.insert(row) }
                return .null
            }
        }
    }

    /// The rows of all calls since the last time.
    func takeRows() -> Set<Row> {
        rows.withLock { rows in
            defer { rows = [] }
            return rows
        }
    }
}
