import Foundation
import Synchronization

/// The functions that triggers of derived attributes call, under Core Data's names (spec §1.4,
/// §8.7). Without them, no write to their tables would succeed.
///
/// The triggers do their work in SQL, and call a function for each row that they change. The calls
/// tell which rows of the row cache are now old.
final class TriggerFunctions: Sendable {
    /// A row as the file names it.
    struct Row: Sendable, Hashable {
        let entityNumber: Int64
        let key: Int64
    }

    static let updated = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    static let inserted = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"
    private static let columnUpdated = "NSCoreDataTriggerUpdateAffectedObjectValue"

    /// Fails the statement for a value that an attribute, `Entity.name`, cannot hold.
    private static let refused = "OGRefuseDerivedValue"

    /// The seconds since 2001.
    static let now = "NSCoreDataNow"

    private struct State {
        var rows: Set<Row> = []
        /// Many triggers in a row often change the same owner.
        var last: Row?
    }

    private let state = Mutex(State())

    func register(on connection: Connection) throws(SQLiteError) {
        // The arguments are a table, an entity number, a key, an attribute or column, and its
        // value.
        for name in [Self.updated, Self.inserted, Self.columnUpdated] {
            try connection.register(function: name, argumentCount: 5, deterministic: false) {
                [self] arguments in
                let row = Row(entityNumber: arguments[1].integer, key: arguments[2].integer)
                state.withLock { state in
                    guard state.last != row else { return }
                    state.last = row
                    state.rows.insert(row)
                }
                return .null
            }
        }
        try connection.register(function: Self.refused, argumentCount: 1, deterministic: false) {
            arguments in
            throw SQLiteError(extendedCode: 1, message: Self.failureMark + arguments[0].string)
        }
        try connection.register(function: Self.now, argumentCount: 0, deterministic: false) { _ in
            .real(Date().timeIntervalSinceReferenceDate)
        }
    }

    /// The rows of all calls since the last time.
    func takeRows() -> Set<Row> {
        state.withLock { state in
            defer { state = State() }
            return state.rows
        }
    }

    // MARK: - Failures

    private static let failureMark = "derived value too large: "

    /// SQL that fails the statement, because an attribute, `Entity.name`, cannot hold its value.
    static func failure(of attribute: String) -> String {
        "RAISE(ABORT, '\(failureMark)\(attribute)')"
    }

    /// SQL that does the same outside of triggers.
    static func refusal(of attribute: String) -> String { "\(refused)('\(attribute)')" }

    /// The reason for such a failure; nil for other errors.
    static func reason(for error: SQLiteError) -> StoreError.Reason? {
        guard error.message.hasPrefix(failureMark) else { return nil }
        let parts = error.message.dropFirst(failureMark.count).split(separator: ".")
        guard parts.count == 2 else { return nil }
        return .derivedValueTooLarge(entity: String(parts[0]), attribute: String(parts[1]))
    }
}
