import CSQLite

/// The key of the row that a look-up asks for, as a table that a statement joins with that of the
/// row: `SELECT … FROM OGRequestedKey k CROSS JOIN t t0 WHERE t0.Z_PK = k.key`.
///
/// It is a virtual table (https://www.sqlite.org/vtab.html) of one row for each request. So a
/// statement that has found a row may be paused, and its next step finds the row of the next key.
/// Ending a statement and running it again takes almost a third of the instructions of a look-up:
/// SQLite closes and opens the table's cursor, and allocates memory for each text.
enum RequestedKey {
    static let tableName = "OGRequestedKey"
}

/// The statements that read a row by its key.
struct LookUpSQL: Sendable {
    /// Has the key as its only parameter.
    let single: String

    /// Selects from `OGRequestedKey`.
    let repeated: String

    init(_ columns: String, from table: String, condition: String?) {
        let rest = condition.map { " AND \($0)" } ?? ""
        single = "SELECT \(columns) FROM \(table) t0 WHERE t0.Z_PK = ?\(rest)"
        // The order of a CROSS JOIN is that of the loops.
        repeated = """
            SELECT \(columns) FROM \(RequestedKey.tableName) k CROSS JOIN \(table) t0 \
            WHERE t0.Z_PK = k.key\(rest)
            """
    }
}

extension Connection {
    /// Looks a row up by its key. While a snapshot is held, look-ups of one kind are one run of a
    /// statement. A trace needs the key and the end of each look-up, and gets them.
    ///
    /// - Parameter read: Reads the row, whose values are valid until it returns.
    /// - Returns: Nil if there is no such row.
    func lookUp<T>(_ key: Int64, _ sql: LookUpSQL, _ read: (Statement) throws -> T) throws -> T? {
        guard let heldSnapshot, heldSnapshot.isHeld, !handle.isTraced else {
            let statement = try statement(sql.single)
            statement.isSilent = true
            defer { statement.reset() }
            statement.bind(key, at: 1)
            return try statement.step() ? try read(statement) : nil
        }
        let statement = try statement(sql.repeated)
        statement.isSilent = true
        defer { heldSnapshot.pause(statement) }
        handle.state.pointee.requestedKey = key
        return try statement.step() ? try read(statement) : nil
    }

    /// Registers the virtual table `OGRequestedKey`.
    func registerRequestedKey() throws(SQLiteError) {
        try handle.check(
            sqlite3_create_module_v2(
                handle.database, RequestedKey.tableName, requestedKeyModule, handle.state, nil))
    }
}

// MARK: - What SQLite calls, on the thread that runs the statement

private struct Table {
    // First: SQLite uses its address as the address of the whole structure.
    var base = sqlite3_vtab()
    let state: UnsafeMutablePointer<ConnectionHandle.State>
}

private struct Cursor {
    var base = sqlite3_vtab_cursor()
    let state: UnsafeMutablePointer<ConnectionHandle.State>
    /// Nil at the end: no look-up has asked for another row.
    var key: Int64?

    mutating func takeKey() {
        key = state.pointee.requestedKey
        state.pointee.requestedKey = nil
    }
}

/// No `xCreate`: the table exists in every schema, and SQL cannot create another one.
// nonisolated(unsafe): SQLite reads it, nothing writes to it.
nonisolated(unsafe) private let requestedKeyModule: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.iVersion = 1
    module.xConnect = { database, context, _, _, made, _ in
        let code = sqlite3_declare_vtab(database, "CREATE TABLE x (key INTEGER)")
        guard code == SQLITE_OK else { return code }
        let state = context!.assumingMemoryBound(to: ConnectionHandle.State.self)
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        table.initialize(to: Table(state: state))
        made!.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }
    module.xDisconnect = { table in
        table.map { UnsafeMutableRawPointer($0).deallocate() }
        return SQLITE_OK
    }
    module.xBestIndex = { _, plan in
        // There is only one plan: the row of the next key.
        plan!.pointee.estimatedCost = 1
        return SQLITE_OK
    }
    module.xOpen = { table, made in
        let state = UnsafeRawPointer(table!).assumingMemoryBound(to: Table.self).pointee.state
        let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
        cursor.initialize(to: Cursor(state: state))
        made!.pointee = UnsafeMutableRawPointer(cursor)
            .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
    module.xClose = { cursor in
        cursor.map { UnsafeMutableRawPointer($0).deallocate() }
        return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, _, _ in
        cursorPlace(cursor).pointee.takeKey()
        return SQLITE_OK
    }
    module.xNext = { cursor in
        cursorPlace(cursor).pointee.takeKey()
        return SQLITE_OK
    }
    module.xEof = { cursor in cursorPlace(cursor).pointee.key == nil ? 1 : 0 }
    module.xColumn = { cursor, context, _ in
        sqlite3_result_int64(context, cursorPlace(cursor).pointee.key ?? 0)
        return SQLITE_OK
    }
    module.xRowid = { cursor, rowID in
        rowID!.pointee = cursorPlace(cursor).pointee.key ?? 0
        return SQLITE_OK
    }
    let place = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    place.initialize(to: module)
    return UnsafePointer(place)
}()

@inline(__always)
private func cursorPlace(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<Cursor> {
    UnsafeMutableRawPointer(cursor.unsafelyUnwrapped).assumingMemoryBound(to: Cursor.self)
}
