import CSQLite

/// Rows in memory that a statement selects, such as
/// `INSERT INTO t SELECT key, value0 FROM OGPendingRows`.
///
/// SQLite reads them as a virtual table (https://www.sqlite.org/vtab.html): one statement takes any
/// number of rows, without parameters. Binding costs a quarter of the instructions of an insert: a
/// call for each value, which checks the statement and the parameter, and a copy when the statement
/// runs.
struct PendingRows {
    static let tableName = "OGPendingRows"

    /// The address of each row.
    // Right to hold, as the other pointers: they are valid while the statement runs, and are not
    // used after it.
    let starts: UnsafeBufferPointer<UnsafeRawPointer>
    fileprivate let slotsByteOffset: Int
    fileprivate let slotKinds: UnsafeBufferPointer<SlotKind>

    /// The name of the file of a value that is in one, which SQL gets as a text: the last part of
    /// its path.
    static func fileName(_ path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return UnsafeRawBufferPointer(rebasing: path[start...])
    }

    /// The expressions that select the key, the version and the values of rows with this many
    /// slots.
    static func columns(slotCount: Int) -> (key: String, version: String, values: [String]) {
        ("key", "version", (0..<slotCount).map { "value\($0)" })
    }
}

extension Statement {
    /// Runs a statement that selects from `OGPendingRows`. Borrows the rows and their bytes until
    /// it returns.
    ///
    /// - Parameter body: Called for each row that the statement returns.
    func run(
        from starts: UnsafeBufferPointer<UnsafeRawPointer>, _ layout: RowLayout,
        forEachRow body: () -> Void = {}
    ) throws(SQLiteError) {
        let state = connection.state
        defer { state.pointee.pendingRows = nil }
        let outcome: Result<Void, SQLiteError> = layout.slotKinds.withUnsafeBufferPointer { kinds in
            let rows = PendingRows(
                starts: starts, slotsByteOffset: layout.slotsByteOffset, slotKinds: kinds)
            connection.noteArguments(of: pointer, rows)
            state.pointee.pendingRows = rows
            return Result { () throws(SQLiteError) in while try step() { body() } }
        }
        try outcome.get()
    }
}

extension Connection {
    /// Registers the virtual table `OGPendingRows`.
    ///
    /// - Parameter slotCount: The most slots that a row can have.
    func registerPendingRows(slotCount: Int) throws(SQLiteError) {
        handle.state.pointee.pendingSlotCount = slotCount
        try handle.check(
            sqlite3_create_module_v2(
                handle.database, PendingRows.tableName, pendingRowsModule, handle.state, nil))
    }
}

extension PendingRows {
    /// The values of a row in SQL syntax, the key first.
    func descriptions(of row: UnsafeRawPointer) -> [String] {
        var descriptions = ["\(row.load(as: Int64.self))"]
        for (slot, kind) in slotKinds.enumerated() {
            guard row.rowHasValue(slot) else {
                descriptions.append("NULL")
                continue
            }
            let place = slotsByteOffset + (slot << 3)
            switch kind {
            case .integer:
                descriptions.append("\(row.load(fromByteOffset: place, as: Int64.self))")
            case .real:
                descriptions.append("\(row.load(fromByteOffset: place, as: Double.self))")
            case .text:
                let text = String(decoding: row.rowBytes(place), as: UTF8.self)
                descriptions.append("'\(text.replacing("'", with: "''"))'")
            case .blob:
                if let path = row.rowFilePath(place) {
                    let name = String(decoding: PendingRows.fileName(path), as: UTF8.self)
                    descriptions.append("'\(name)'")
                } else {
                    descriptions.append("<\(row.rowBytes(place).count) bytes>")
                }
            }
        }
        return descriptions
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
    var rows: PendingRows
    var position = 0
}

/// No `xCreate`: the table exists in every schema, and SQL cannot create another one.
// nonisolated(unsafe): SQLite reads it, nothing writes to it.
nonisolated(unsafe) private let pendingRowsModule: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.iVersion = 1
    module.xConnect = connect
    module.xDisconnect = { table in
        table.map { UnsafeMutableRawPointer($0).deallocate() }
        return SQLITE_OK
    }
    module.xBestIndex = { _, plan in
        // There is only one plan: all rows in their order.
        plan!.pointee.estimatedCost = 1
        return SQLITE_OK
    }
    module.xOpen = open
    module.xClose = { cursor in
        cursor.map { UnsafeMutableRawPointer($0).deallocate() }
        return SQLITE_OK
    }
    module.xFilter = { _, _, _, _, _ in SQLITE_OK }
    module.xNext = { cursor in
        cursorPlace(cursor).pointee.position += 1
        return SQLITE_OK
    }
    module.xEof = { cursor in
        let cursor = cursorPlace(cursor)
        return cursor.pointee.position < cursor.pointee.rows.starts.count ? 0 : 1
    }
    module.xColumn = giveColumn
    module.xRowid = { cursor, rowID in
        rowID!.pointee = Int64(cursorPlace(cursor).pointee.position)
        return SQLITE_OK
    }
    let place = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    place.initialize(to: module)
    return UnsafePointer(place)
}()

private func connect(
    database: OpaquePointer?, context: UnsafeMutableRawPointer?, count: Int32,
    arguments: UnsafePointer<UnsafePointer<CChar>?>?,
    made: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    let state = context!.assumingMemoryBound(to: ConnectionHandle.State.self)
    let columns = PendingRows.columns(slotCount: state.pointee.pendingSlotCount)
    let code = sqlite3_declare_vtab(
        database,
        "CREATE TABLE x (\(([columns.key, columns.version] + columns.values).joined(separator: ", ")))"
    )
    guard code == SQLITE_OK else { return code }
    let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    table.initialize(to: Table(state: state))
    made!.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
    return SQLITE_OK
}

private func open(
    table: UnsafeMutablePointer<sqlite3_vtab>?,
    made: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> Int32 {
    let state = UnsafeRawPointer(table!).assumingMemoryBound(to: Table.self).pointee.state
    // Only the engine's own statements have rows to read.
    guard let rows = state.pointee.pendingRows else { return SQLITE_MISUSE }
    let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
    cursor.initialize(to: Cursor(rows: rows))
    made!.pointee = UnsafeMutableRawPointer(cursor)
        .assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
}

@inline(__always)
private func cursorPlace(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<Cursor> {
    UnsafeMutableRawPointer(cursor.unsafelyUnwrapped).assumingMemoryBound(to: Cursor.self)
}

private func giveColumn(
    cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, context: OpaquePointer?, column: Int32
) -> Int32 {
    let cursor = cursorPlace(cursor)
    let row = cursor.pointee.rows.starts[cursor.pointee.position]
    guard column > 1 else {
        sqlite3_result_int64(
            context, column == 0 ? row.load(as: Int64.self) : Int64(row.rowVersion))
        return SQLITE_OK
    }
    let slot = Int(column) - 2
    guard row.rowHasValue(slot) else {
        sqlite3_result_null(context)
        return SQLITE_OK
    }
    let place = cursor.pointee.rows.slotsByteOffset + (slot << 3)
    // The bytes may be borrowed: SQLite copies them into the record that it builds.
    switch cursor.pointee.rows.slotKinds[slot] {
    case .integer: sqlite3_result_int64(context, row.load(fromByteOffset: place, as: Int64.self))
    // NaN becomes NULL: SQLite cannot store it.
    case .real: sqlite3_result_double(context, row.load(fromByteOffset: place, as: Double.self))
    case .text:
        let bytes = row.rowBytes(place)
        sqlite3_result_text64(
            context, bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self),
            UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
    case .blob:
        if let path = row.rowFilePath(place) {
            let name = PendingRows.fileName(path)
            sqlite3_result_text64(
                context, name.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(name.count), nil, UInt8(SQLITE_UTF8))
            return SQLITE_OK
        }
        let bytes = row.rowBytes(place)
        sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
    }
    return SQLITE_OK
}
