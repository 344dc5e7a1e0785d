#if PostgreSQL
import ObjectGraph

/// Records what one transaction does, as one transaction of the history.
///
/// The statements of a save go with those of its plan, so that they take no round trip.
final class HistoryRecorder: ChangeRecorder {
    private static let changesPerStatement = 4096

    private let history: StoreHistory
    private let origin: ChangeOrigin
    private let transaction: WriteTransaction
    private var rows = ChangeRows()

    /// Whether `beginning` was run.
    private var hasBegun = false

    init(_ history: StoreHistory, from origin: ChangeOrigin, _ transaction: WriteTransaction) {
        self.history = history
        self.origin = origin
        self.transaction = transaction
    }

    // MARK: - Statements

    /// Gives the transaction its key.
    static let beginning = Command("SELECT nextval('ATRANSACTIONKEY')")

    /// Gives the transaction its number, which it returns; no row if nothing was recorded.
    static func end(from origin: ChangeOrigin) -> Command {
        Command(
            """
            WITH counter AS (\
            UPDATE ATRANSACTIONCOUNTER SET Z_MAX = Z_MAX + 1 \
            WHERE EXISTS (\
            SELECT 1 FROM ACHANGE WHERE ZTRANSACTIONKEY = currval('ATRANSACTIONKEY')) \
            RETURNING Z_MAX) \
            INSERT INTO ATRANSACTION \
            (Z_PK, ZKEY, ZTIMESTAMP, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID) \
            SELECT Z_MAX, currval('ATRANSACTIONKEY'), \
            extract(epoch FROM clock_timestamp())::double precision - 978307200, \
            $1::text, $2::text, $3::text, $4::text FROM counter RETURNING Z_PK
            """,
            [
                origin.author, ChangeOrigin.bundleIdentifier, origin.contextName,
                ChangeOrigin.processName,
            ].map { $0.map { .text($0) } ?? .null })
    }

    /// Records the deletion of rows that are still there, with the values that are preserved.
    static func deletion(
        _ history: StoreHistory, _ entity: Entity, keys: some Collection<Int64>
    ) -> Command {
        let tombstones = history.entities[entity.index].tombstones.map {
            attribute, column -> String in
            guard let column else { return "NULL" }
            return switch entity.layout.slotKinds[attribute.slot!] {
            case .integer, .real: "t0.\(column)::text"
            case .text: "t0.\(column)"
            case .blob: "encode(t0.\(column), 'hex')"
            }
        }
        let tombstone =
            tombstones.isEmpty ? "NULL" : "ARRAY[\(tombstones.joined(separator: ", "))]::text[]"
        return Command(
            """
            INSERT INTO ACHANGE \
            (ZTRANSACTIONKEY, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTOMBSTONE) \
            SELECT currval('ATRANSACTIONKEY'), 2, t0.Z_ENT, t0.Z_PK, \(tombstone) \
            FROM unnest($1::bigint[]) AS v(key) \
            JOIN \(history.layout.table(of: entity)) AS t0 ON t0.Z_PK = v.key
            """, [.column(ParameterColumn(keys))])
    }

    /// Record the deletions of a plan. They run before the plan.
    static func deletions(of plan: SavePlan, _ history: StoreHistory) -> [Command] {
        let deletions = plan.rows.filter { $0.kind == .delete }
        return Dictionary(grouping: deletions) { $0.entity.index }.sorted { $0.key < $1.key }.map {
            deletion(history, history.layout.model.entities[$0.key], keys: $0.value.map(\.key))
        }
    }

    /// Record the insertions and updates of a plan.
    static func rows(of plan: SavePlan, _ history: StoreHistory) -> [Command] {
        var commands: [Command] = []
        var rows = ChangeRows()
        for change in plan.rows where change.row != nil {
            rows.append(
                history.entities[change.entity.index], history.layout, key: change.key,
                updated: change.kind == .insert ? nil : change.changes)
            if rows.count == changesPerStatement { commands.append(rows.takeCommand()) }
        }
        if rows.count > 0 { commands.append(rows.takeCommand()) }
        return commands
    }

    // MARK: - Batch requests

    func delete(_ entity: Entity, keys: [Int64]) throws {
        try run(Self.deletion(history, entity, keys: keys))
    }

    func insert(_ entity: Entity, key: Int64) throws { try add(entity, key, updated: nil) }

    func update(_ entity: Entity, key: Int64, _ properties: PropertyMask) throws {
        try add(entity, key, updated: properties)
    }

    private func add(_ entity: Entity, _ key: Int64, updated: PropertyMask?) throws {
        rows.append(history.entities[entity.index], history.layout, key: key, updated: updated)
        if rows.count == Self.changesPerStatement { try run(rows.takeCommand()) }
    }

    /// Writes what is pending, and the row of the transaction.
    ///
    /// - Returns: Its number; nil if nothing has changed.
    func finish() throws -> Int64? {
        if rows.count > 0 { try run(rows.takeCommand()) }
        guard hasBegun else { return nil }
        let number = try transaction.run(Self.end(from: origin))
        return number.count == 1 ? try number.integer(0, 0) : nil
    }

    private func run(_ command: Command) throws {
        _ = try transaction.run(hasBegun ? [command] : [Self.beginning, command])
        hasBegun = true
    }
}

/// Rows of the table of changes, for insertions and updates.
private struct ChangeRows {
    private(set) var count = 0
    private var types = ParameterColumn(.integer, capacity: 16)
    private var entities = ParameterColumn(.integer, capacity: 16)
    private var keys = ParameterColumn(.integer, capacity: 16)
    private var columns = ParameterColumn(.bytes, capacity: 16)

    /// The bitmap of the last update, which the next one often shares.
    private var last: (entityIndex: Int, updated: PropertyMask, bitmap: [UInt8])?

    /// - Parameter updated: The properties of an update; nil for an insertion.
    mutating func append(
        _ entity: HistoryEntity, _ layout: StoreLayout, key: Int64, updated: PropertyMask?
    ) {
        count += 1
        let type: PersistentHistoryChange.ChangeType = updated == nil ? .insert : .update
        types.append(integer: Int64(type.rawValue))
        entities.append(integer: layout.number(of: entity.entity))
        keys.append(integer: key)
        guard let updated else { return columns.appendNull() }
        if last?.entityIndex != entity.entity.index || last?.updated != updated {
            last = (entity.entity.index, updated, entity.bitmap(of: updated))
        }
        last!.bitmap.withUnsafeBytes { columns.append(bytes: $0) }
    }

    mutating func takeCommand() -> Command {
        defer { self = ChangeRows() }
        return Command(
            """
            INSERT INTO ACHANGE \
            (ZTRANSACTIONKEY, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS) \
            SELECT currval('ATRANSACTIONKEY'), v.type, v.entity, v.key, v.columns \
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[]) \
            AS v(type, entity, key, columns)
            """, [.column(types), .column(entities), .column(keys), .column(columns)])
    }
}
#endif
